import { Type } from 'typebox';
import { binary, problem } from '../../../kernel/catalogue/declarations.ts';
import { endpoint } from '../../endpoint.ts';
import { downloadAnswer } from '../../files/download.ts';
import { sampleNames } from '../../files/sample-files.ts';

export const download = endpoint({
  id: 'download-file',
  group: 'File Upload/Download',
  spec: '1 §4.5',
  methods: ['GET'],
  path: '/test/downloadFile/{fileName}',
  // Names with slashes come here too, to be refused by name instead of being taken for another path.
  aliases: ['/test/downloadFile/{fileName**}'],
  summary: 'A sample file, or one that was uploaded.',
  description: `Always there: ${sampleNames.join(', ')}. Answers ranges and preconditions; with \`encoding\` they apply to the coded form.`,
  params: Type.Object({ fileName: Type.String() }),
  query: Type.Object({
    encoding: Type.Optional(
      Type.Union(
        (['identity', 'gzip', 'deflate', 'br', 'zstd'] as const).map((coding) => Type.Literal(coding)),
        {
          default: 'identity',
          description: 'Content-Encoding of the answer, whatever the client accepts.',
        },
      ),
    ),
  }),
  responses: {
    200: binary('The file.'),
    206: binary('A part of it.'),
    304: { description: 'The client has it already.' },
    400: problem('The name could lead out of the folder, or the encoding is unknown.'),
    404: problem('There is no such file.'),
    412: { description: 'A precondition does not hold.' },
    416: { description: 'The range lies outside.' },
  },
  examples: [
    {
      name: 'every byte value',
      path: '/test/downloadFile/sample.bin',
      expect: {
        status: 200,
        length: 4096,
        headers: {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment; filename="sample.bin"',
          'accept-ranges': 'bytes',
        },
        sha256: 'c8f5d0341d54d951a71b136e6e2afcb14d11ed8489a7ae126a8fee0df6ecf193',
      },
    },
    {
      name: 'a range',
      path: '/test/downloadFile/sample.bin',
      headers: ['Range', 'bytes=254-257'],
      expect: { status: 206, hex: 'feff0001', headers: { 'content-range': 'bytes 254-257/4096' } },
    },
    {
      name: 'coded by zstd',
      path: '/test/downloadFile/sample.txt?encoding=zstd',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'zstd' },
        decodedText: /^A sample text in UTF-8\.\nTürkçe/,
      },
    },
    {
      name: 'a picture',
      path: '/test/downloadFile/sample.jpg',
      expect: { status: 200, headers: { 'content-type': 'image/jpeg' }, wire: /\r\n\r\n\xff\xd8\xff/ },
    },
    {
      name: 'a document',
      path: '/test/downloadFile/sample.pdf',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/pdf' },
        text: /^%PDF-1\.4\n[\s\S]*%%EOF\n$/,
      },
    },
    {
      name: 'what was uploaded, with a name beyond ASCII',
      path: '/test/downloadFile/%C5%9F.txt',
      setUp: [{ method: 'POST', path: '/test/fileUpload?fileName=%C5%9F.txt', body: 'abc' }],
      expect: {
        status: 200,
        text: 'abc',
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'content-disposition': `attachment; filename="_.txt"; filename*=UTF-8''%C5%9F.txt`,
        },
      },
    },
    {
      name: 'nothing of that name',
      path: '/test/downloadFile/none.txt',
      expect: { status: 404, json: { fileName: 'none.txt' } },
    },
    ...['..%2F..%2Fetc%2Fpasswd', '../../etc/passwd', '..', 'a%00.txt', '..%5Cx', 'NUL.txt', '%ff'].map(
      (name) => ({
        name: `refused: ${name}`,
        path: `/test/downloadFile/${name}`,
        expect: { status: 400, json: { name: 'fileName' } },
        shown: false,
      }),
    ),
  ],
  handle: (call) => downloadAnswer(call, call.params.fileName, call.query.encoding ?? 'identity'),
});
