import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { childElements, parseXml, type XmlElement } from '../content/xml.ts';
import { actionOf, SERVICE_NAMESPACE } from './operation.ts';
import { allOperations } from './service-operations.ts';
import { writeWsdl, writeXsd } from './wsdl.ts';

const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
const XSD = 'http://www.w3.org/2001/XMLSchema';

const wsdl = parseXml(writeWsdl('https://a.example:1/?x&y'));
const xsd = parseXml(writeXsd());

function named(parent: XmlElement, localName: string, namespace = WSDL): XmlElement[] {
  return childElements(parent).filter((one) => one.localName === localName && one.namespace === namespace);
}

function names(elements: readonly XmlElement[]): string[] {
  return elements.map(({ attributes }) => attributes.name!);
}

/** The name a `tns:` reference points at. */
function referred(reference: string | undefined): string {
  assert.match(reference ?? '', /^tns:\w+$/);
  return reference!.slice('tns:'.length);
}

function descendants(element: XmlElement): XmlElement[] {
  return childElements(element).flatMap((child) => [child, ...descendants(child)]);
}

describe('the WSDL', () => {
  const messages = named(wsdl, 'message');
  const portTypes = named(wsdl, 'portType');
  const bindings = named(wsdl, 'binding');

  test('every message is one element of the schema', () => {
    const elements = names(named(xsd, 'element', XSD));
    assert.equal(new Set(names(messages)).size, messages.length);
    for (const message of messages) {
      const [part, ...others] = named(message, 'part');
      assert.deepEqual(others, []);
      assert.ok(elements.includes(referred(part!.attributes.element)), message.attributes.name!);
    }
  });

  test('every operation of the service is described, with messages that exist', () => {
    const [main, secured] = portTypes;
    assert.deepEqual(names(named(main!, 'operation')), Object.keys(allOperations));
    assert.deepEqual(names(named(secured!, 'operation')), ['WhoAmI']);
    for (const operation of portTypes.flatMap((portType) => named(portType, 'operation'))) {
      for (const message of childElements(operation))
        assert.ok(names(messages).includes(referred(message.attributes.message)));
      const isOneWay = operation.attributes.name === 'Notify';
      assert.equal(named(operation, 'output').length, isOneWay ? 0 : 1);
    }
  });

  test('every binding binds all operations of its port type, with their actions and faults', () => {
    assert.equal(bindings.length, 4);
    for (const binding of bindings) {
      const portType = portTypes.find(
        ({ attributes }) => attributes.name === referred(binding.attributes.type),
      )!;
      const operations = named(binding, 'operation');
      assert.deepEqual(names(operations), names(named(portType, 'operation')));
      for (const [index, operation] of operations.entries()) {
        const { name } = operation.attributes;
        assert.equal(childElements(operation)[0]!.attributes.soapAction, actionOf(name!));
        assert.deepEqual(
          names(named(operation, 'fault')),
          names(named(named(portType, 'operation')[index]!, 'fault')),
        );
      }
    }
  });

  test('every binding has a port, whose address is escaped', () => {
    const ports = named(named(wsdl, 'service')[0]!, 'port');
    assert.deepEqual(
      ports.map(({ attributes }) => referred(attributes.binding)),
      names(bindings),
    );
    const locations = ports.map((port) => childElements(port)[0]!.attributes.location);
    assert.deepEqual(
      new Set(locations),
      new Set(['https://a.example:1/?x&y/soap', 'https://a.example:1/?x&y/soap/secured']),
    );
  });
});

describe('the schema', () => {
  test('names only types that exist', () => {
    const own = names(named(xsd, 'complexType', XSD));
    const builtIn = ['string', 'int', 'decimal', 'boolean', 'dateTime', 'positiveInteger', 'base64Binary'];
    const known = new Set([...own.map((name) => `tns:${name}`), ...builtIn.map((name) => `xsd:${name}`)]);
    for (const { attributes } of descendants(xsd)) {
      if (attributes.type !== undefined) assert.ok(known.has(attributes.type), attributes.type);
    }
    assert.equal(xsd.attributes.targetNamespace, SERVICE_NAMESPACE);
  });
});
