import { Type } from 'typebox';
import { anyType, binary, problem } from '../../../kernel/catalogue/declarations.ts';
import type { Example } from '../../../kernel/catalogue/endpoint.ts';
import { codedAnswer, codingParam, encodedAnswer, writable } from '../../content/coded-answer.ts';
import { encodeWhole } from '../../content/codings.ts';
import { type SampleName, sampleNames, samples } from '../../content/encoding-samples.ts';
import { endpoint } from '../../endpoint.ts';
import { attachmentDisposition } from '../../files/file-name.ts';

export const textSha256 = '7d764509cc3753f617c894ac339c44cc6513e54e36b1a516524ef7e0ef5f13ae';
export const textPattern = /^01 Pijamalı hasta[\s\S]*\n40 Pijamalı hasta yağız şoföre çabucak güvendi\.\n$/;

/** For each sample a telling request, and what must come back. */
const sampleExamples: Readonly<Record<SampleName, readonly Example[]>> = {
  text: [
    {
      name: 'text in gzip',
      path: '/encoding-test/gzip/text',
      expect: {
        status: 200,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'content-encoding': 'gzip',
          vary: 'Accept-Encoding',
          'x-original-length': '2200',
          'x-original-sha256': textSha256,
          'content-digest': /^sha-256=:[A-Za-z0-9+/]{43}=:$/,
        },
        decodedText: textPattern,
      },
    },
    {
      name: 'compress is not written',
      path: '/encoding-test/compress/text',
      expect: { status: 501, json: { status: 501, title: 'Not Implemented' } },
    },
    {
      name: 'a coding nobody knows',
      path: '/encoding-test/lzma/text',
      expect: { status: 400, json: { status: 400, detail: /coding/ } },
    },
  ],
  json: [
    {
      name: 'JSON in Zstandard',
      path: '/encoding-test/zstd/json',
      expect: {
        status: 200,
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'zstd',
          'x-original-length': '1543',
          'x-original-sha256': '0c27151e415d2e52531b0019b8b836849f2bcd2c9b470b380f4eba9cd2825085',
        },
        decodedText: /^\{\n {2}"test": "encoding",[\s\S]*"city": "Muğla"/,
      },
    },
  ],
  xml: [
    {
      name: 'XML in Brotli',
      path: '/encoding-test/br/xml',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/xml', 'content-encoding': 'br', 'x-original-length': '664' },
        decodedText: /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<cities>[\s\S]*<\/cities>\n$/,
      },
    },
  ],
  html: [
    {
      name: 'HTML in deflate, which is the zlib format',
      path: '/encoding-test/deflate/html',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'deflate', 'x-original-length': '706' },
        wire: /\r\n\r\n\x78/,
        decodedText: /^<!doctype html>/,
      },
    },
  ],
  binary: [
    {
      name: 'bytes without a coding',
      path: '/encoding-test/identity/binary',
      expect: {
        status: 200,
        headers: { 'content-encoding': null, vary: 'Accept-Encoding', 'x-original-length': '2048' },
        sha256: '10fc3c51a152e90e5b90319b601d92ccf37290ef53c35ff92507687d8a911a08',
      },
    },
  ],
  empty: [
    {
      name: 'an empty body is still a whole gzip member',
      path: '/encoding-test/gzip/empty',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'gzip', 'x-original-length': '0', 'content-length': '20' },
        decodedText: '',
      },
    },
  ],
};

const encodedSamples = sampleNames.map((name) =>
  endpoint({
    id: `encoding-test-${name}`,
    group: 'Encoding Test',
    methods: ['GET'],
    path: `/encoding-test/{coding}/${name}`,
    summary: `A fixed body (${name}) in the coding of the path, whatever the client accepts.`,
    description:
      'X-Original-Length and X-Original-Sha256 describe the content once the coding is undone, ' +
      'X-Body-Sha256 and Content-Digest the bytes as they are sent.',
    params: Type.Object({ coding: codingParam() }),
    responses: {
      200: anyType('The body in that coding.'),
      400: problem('The coding is unknown.'),
      501: problem('The coding is compress.'),
    },
    examples: sampleExamples[name],
    handle: ({ params }) => encodedAnswer(samples[name], writable(params.coding)),
  }),
);

const head = endpoint({
  id: 'encoding-test-head',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/head/{coding}',
  summary: 'A coded body whose HEAD must show the same fields as its GET.',
  params: Type.Object({ coding: codingParam() }),
  responses: { 200: anyType('The text, coded.'), 400: problem('The coding is unknown.') },
  examples: [
    {
      name: 'GET',
      path: '/encoding-test/head/gzip',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'gzip', 'content-length': /^1\d\d$/, 'x-original-length': '2200' },
        decodedText: textPattern,
      },
    },
    {
      name: 'HEAD has the length and digests of the coded body, and no body',
      method: 'HEAD',
      path: '/encoding-test/head/gzip',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'gzip',
          'content-length': /^1\d\d$/,
          'x-original-length': '2200',
          'x-original-sha256': textSha256,
          'x-body-sha256': /^[0-9a-f]{64}$/,
        },
        wire: /\r\n\r\n$/,
      },
    },
    { name: 'a coding nobody knows', path: '/encoding-test/head/lzma', expect: { status: 400 } },
  ],
  handle: ({ params }) => encodedAnswer(samples.text, writable(params.coding)),
});

const download = endpoint({
  id: 'encoding-test-download',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/download/{coding}/{fileName}',
  summary: 'A file to save, coded in transit: what is saved must be the plain file.',
  params: Type.Object({ coding: codingParam(), fileName: Type.String({ maxLength: 200 }) }),
  responses: { 200: binary('The file, coded.'), 400: problem('The coding is unknown.') },
  examples: [
    {
      name: 'saved under its name, without the coding',
      path: '/encoding-test/download/br/%C5%9Fiir%20%221%22.txt',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'br',
          'content-disposition': `attachment; filename="_iir \\"1\\".txt"; filename*=UTF-8''%C5%9Fiir%20%221%22.txt`,
          'x-original-sha256': textSha256,
        },
        decodedText: textPattern,
      },
    },
    { name: 'a coding nobody knows', path: '/encoding-test/download/lzma/a.txt', expect: { status: 400 } },
  ],
  handle: ({ params }) => {
    const headers = ['Content-Disposition', attachmentDisposition(params.fileName)];
    return encodedAnswer(samples.text, writable(params.coding), { headers });
  },
});

const downloadArchive = endpoint({
  id: 'encoding-test-download-archive',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/download/file.gz',
  summary: 'A gzip file as a file: no Content-Encoding, so nobody may undo it on the way.',
  responses: { 200: binary('The archive.', 'application/gzip') },
  examples: [
    {
      name: 'the bytes stay gzip',
      expect: {
        status: 200,
        headers: {
          'content-type': 'application/gzip',
          'content-encoding': null,
          'content-disposition': 'attachment; filename="file.gz"',
          'x-original-length': '2200',
          'x-original-sha256': textSha256,
        },
        wire: /\r\n\r\n\x1f\x8b\x08/,
      },
    },
  ],
  handle: async () => {
    const { bytes } = samples.text;
    return codedAnswer({
      original: { contentType: 'application/gzip', bytes },
      coded: await encodeWhole('gzip', bytes),
      label: undefined,
      headers: ['Content-Disposition', attachmentDisposition('file.gz')],
    });
  },
});

export const contentTests = [...encodedSamples, head, download, downloadArchive];
