import { type XmlElement, xmlElement } from '../content/xml.ts';
import { type Operation, type Operations, responseElement } from './operation.ts';
import { SoapFault } from './soap-fault.ts';
import { childText } from './soap-message.ts';

const MIN_INT = -(2 ** 31);
const MAX_INT = 2 ** 31 - 1;

/** Numbers are xs:int: whole, and of 32 bits. */
export const calculatorOperations: Operations = {
  Add: calculation((a, b) => a + b),
  Subtract: calculation((a, b) => a - b),
  Multiply: calculation((a, b) => a * b),
  Divide: calculation((a, b) => {
    if (b === 0) throw calculatorFault('DivisionByZero', `${a} cannot be divided by zero.`);
    // Without the sign a zero may have in floating point.
    return Math.trunc(a / b) + 0;
  }),
};

function calculation(compute: (a: number, b: number) => number): Operation {
  return (request) => {
    const result = compute(intOf(request, 'a'), intOf(request, 'b'));
    if (result < MIN_INT || result > MAX_INT)
      throw calculatorFault('OutOfRange', `The result ${result} does not fit in 32 bits.`);
    return [xmlElement('result', [String(result)])];
  };
}

function intOf(request: XmlElement, name: string): number {
  const text = childText(request, name)?.trim();
  const value = text !== undefined && /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= MIN_INT && value <= MAX_INT))
    throw new SoapFault('Sender', `${request.localName} needs ${name}, a whole number of 32 bits.`);
  return value;
}

function calculatorFault(name: string, message: string): SoapFault {
  return new SoapFault('Sender', message, {
    detail: [responseElement(name, [xmlElement('message', [message])])],
  });
}
