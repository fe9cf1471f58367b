import type { Expectation } from '../../../src/kernel/catalogue/endpoint.ts';
import { type CheckGroup, changed, type ProxyCheck, unchanged } from '../proxy-check.ts';
import { get, request } from '../request-bytes.ts';
import { all, sameAnswer, sameBody, sameFields, sameStatus } from '../verdicts.ts';

const MiB = 1024 * 1024;
const typed = (name: string, asks: string, direct: Expectation): ProxyCheck => ({
  id: `content-type.${name}`,
  asks,
  request: get(`/proxy-test/content-type/${name}`),
  direct: { status: 200, ...direct },
  verdict: sameAnswer('Content-Type'),
});

export const contentType: CheckGroup = {
  name: 'Proxy Content-Type & Charset',
  checks: [
    typed('iso-8859-9', 'text in ISO-8859-9', {
      headers: { 'content-type': /charset=iso-8859-9$/i },
      wire: /T\xfcrk\xe7e/,
    }),
    typed('utf-16', 'text in UTF-16', { headers: { 'content-type': /charset=utf-16$/i } }),
    typed('no-charset', 'HTML without a charset', { headers: { 'content-type': 'text/html' } }),
    typed('none', 'no Content-Type', { headers: { 'content-type': null }, text: 'A body without a type.\n' }),
    typed('empty-value', 'an empty Content-Type', { wire: /\r\nContent-Type: ?\r\n/ }),
    typed('invalid', 'a Content-Type that is no media type', { headers: { 'content-type': 'foo' } }),
    typed('duplicate', 'two Content-Type lines', {
      wire: /\r\nContent-Type: text\/plain; charset=utf-8\r\nContent-Type: text\/html; charset=iso-8859-9\r\n/,
    }),
    typed('uppercase', 'a media type in capitals', {
      headers: { 'content-type': 'TEXT/HTML;CHARSET=UTF-8' },
    }),
    typed('params', 'quoted parameters', { headers: { 'content-type': /note="a;b\\"c"/ } }),
    {
      ...typed('mislabelled', 'a wrong charset', { wire: /T\xfcrk\xe7e/ }),
      request: get('/proxy-test/content-type/mislabelled?declared=utf-8&actual=iso-8859-9'),
    },
  ],
};

const coded = (
  id: string,
  asks: string,
  target: string,
  direct: Expectation,
  ...lines: string[]
): ProxyCheck => ({
  id: `encoding.${id}`,
  asks,
  request: get(target, ...lines),
  direct: { status: 200, ...direct },
  verdict: codedAnswer,
});

/** A proxy that asks for gzip on its own account undoes it for a client that did not. */
const codedAnswer: ProxyCheck['verdict'] = (sight) => {
  const { answer, direct } = sight;
  const isDecoded =
    direct.header('content-encoding') !== undefined && answer.header('content-encoding') === undefined;
  if (!isDecoded) return sameAnswer('Content-Encoding', 'ETag', 'Vary')(sight);
  return changed(answer.isComplete ? 'decoded' : 'decoded, cut off');
};

export const encodingTest: CheckGroup = {
  name: 'Encoding Test',
  checks: [
    coded(
      'gzip',
      'gzip for a client that takes it',
      '/encoding-test/gzip/text',
      {
        headers: { 'content-encoding': 'gzip' },
      },
      'Accept-Encoding: gzip',
    ),
    coded('unasked', 'gzip for a client that did not ask', '/encoding-test/gzip/text', {
      headers: { 'content-encoding': 'gzip' },
    }),
    coded('negotiated', 'negotiated content for a client that did not ask', '/encoding-test/vary', {
      headers: { 'content-encoding': null, vary: 'Accept-Encoding' },
    }),
    coded(
      'br',
      'Brotli',
      '/encoding-test/br/text',
      { headers: { 'content-encoding': 'br' } },
      'Accept-Encoding: br',
    ),
    coded(
      'zstd',
      'Zstandard',
      '/encoding-test/zstd/text',
      { headers: { 'content-encoding': 'zstd' } },
      'Accept-Encoding: zstd',
    ),
    coded('chained', 'two codings', '/encoding-test/chained/gzip,br', {
      headers: { 'content-encoding': 'gzip, br' },
    }),
    coded('unknown', 'an unknown coding', '/encoding-test/unknown', {
      headers: { 'content-encoding': 'x-foo' },
    }),
    coded('truncated', 'gzip that is cut off', '/encoding-test/corrupted/gzip?kind=truncated', {
      headers: { 'content-encoding': 'gzip', 'x-corruption': 'truncated' },
    }),
    coded('bad-crc', 'gzip with a wrong checksum', '/encoding-test/corrupted/gzip?kind=bad-crc', {
      headers: { 'content-encoding': 'gzip', 'x-corruption': 'bad-crc' },
    }),
    coded('mislabelled', 'zstd labelled gzip', '/encoding-test/mislabelled/gzip/zstd', {
      headers: { 'content-encoding': 'gzip' },
    }),
    coded(
      'no-transform',
      'no-transform, for a client that takes gzip',
      '/encoding-test/no-transform/identity',
      {
        headers: { 'content-encoding': null, etag: /^"/ },
      },
      'Accept-Encoding: gzip',
    ),
    coded(
      'vary',
      'Vary on two lines',
      '/encoding-test/vary/multiple',
      {
        headers: { vary: 'accept-encoding, Accept, ACCEPT-LANGUAGE' },
      },
      'Accept-Encoding: gzip',
    ),
    {
      id: 'encoding.bomb',
      asks: 'a gzip bomb of 10 MiB',
      request: get(`/bomb/gzip?size=${10 * MiB}`, 'Accept-Encoding: gzip'),
      direct: { status: 200, headers: { 'content-encoding': 'gzip' }, decodedText: /^\0+$/ },
      verdict: all(sameStatus, sameFields('Content-Encoding'), sameBody),
    },
    {
      id: 'encoding.range',
      asks: 'a range of gzip',
      request: get('/encoding-test/206/gzip', 'Range: bytes=0-2', 'Accept-Encoding: gzip'),
      direct: { status: 206, headers: { 'content-range': /^bytes 0-2\// }, hex: '1f8b08' },
      verdict: sameAnswer('Content-Range', 'Content-Encoding', 'ETag'),
    },
    {
      id: 'encoding.head',
      asks: 'HEAD of gzip has its length',
      request: request('HEAD', '/encoding-test/head/gzip', ['Accept-Encoding: gzip']),
      direct: { status: 200, headers: { 'content-encoding': 'gzip', 'content-length': /^\d+$/ }, length: 0 },
      verdict: sameAnswer('Content-Encoding', 'Content-Length'),
    },
    {
      id: 'encoding.transfer',
      asks: 'Transfer-Encoding: gzip, chunked for TE: gzip',
      request: get('/encoding-test/transfer-encoding/gzip', 'TE: gzip', 'Connection: close, TE'),
      direct: { status: 200, headers: { 'transfer-encoding': 'gzip, chunked' } },
      verdict: ({ answer }) => {
        if (answer.status !== 200) return changed('TE removed');
        return answer.header('transfer-encoding') === 'gzip, chunked' ? unchanged() : changed('undone');
      },
    },
  ],
};
