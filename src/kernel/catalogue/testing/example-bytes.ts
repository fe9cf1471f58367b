import type { ExampleRequest } from '../endpoint.ts';
import { pathAsSent } from '../path-pattern.ts';

interface EntryOfExample {
  readonly id: string;
  readonly methods: readonly string[];
  readonly path: string;
}

/** The request of an example as it goes over the wire. */
export function exampleBytes(entry: EntryOfExample, example: ExampleRequest, authority: string): Buffer {
  const body = typeof example.body === 'string' ? Buffer.from(example.body, 'utf8') : example.body;
  const headers = [...(example.headers ?? [])];
  const hasHeader = (name: string) =>
    headers.some((one, index) => index % 2 === 0 && one.toLowerCase() === name);
  if (!hasHeader('host')) headers.unshift('Host', authority);
  if (body && !hasHeader('content-length') && !hasHeader('transfer-encoding')) {
    headers.push('Content-Length', String(body.length));
  }
  if (!hasHeader('connection')) headers.push('Connection', 'close');

  let head = `${methodOf(entry, example)} ${targetOf(entry, example)} HTTP/1.1\r\n`;
  for (let index = 0; index < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return Buffer.concat([
    oneBytePerCharacter(`${head}\r\n`, entry),
    body ?? Buffer.alloc(0),
    example.upgraded ?? Buffer.alloc(0),
  ]);
}

export function methodOf({ methods }: EntryOfExample, { method }: ExampleRequest): string {
  return method ?? methods.find((one) => one !== 'ANY') ?? 'GET';
}

export function targetOf({ id, path }: EntryOfExample, example: ExampleRequest): string {
  if (example.path !== undefined) return example.path;
  if (/[{}]|\*\*/.test(path)) throw new Error(`an example of ${id} must say which path it asks for: ${path}`);
  return pathAsSent(path);
}

function oneBytePerCharacter(head: string, { id }: EntryOfExample): Buffer {
  const wide = /[^\x00-\xff]/.exec(head);
  if (wide)
    throw new Error(
      `an example of ${id} has the character ${wide[0]} in its head, where one character is one byte`,
    );
  return Buffer.from(head, 'latin1');
}
