import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Form, FormFile } from '../../content/form.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import {
  describeFile,
  downloadUri,
  type StoredFile,
  storeForm,
  storeSingleFile,
  storeTexts,
} from '../../files/upload.ts';

const group = 'File Upload/Download';
const spec = '1 §4.5';

const file = Type.String({ format: 'binary' });
const uploadFileResponse = Type.Object(
  {
    fileName: Type.String(),
    fileDownloadUri: Type.String({ format: 'uri' }),
    fileType: Type.String(),
    size: Type.Integer({ format: 'int64' }),
  },
  { $id: 'UploadFileResponse' },
);
const tooLarge = problem('A file, the form or the number of its parts is too large.');
const folderFull = problem('There is no room left for uploaded files.');

const multipartType = ['Content-Type', 'multipart/form-data; boundary=XX'];
const part = (disposition: string, content: string, type?: string) =>
  `--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n${content}\r\n`;
const multipart = (...parts: string[]) => `${parts.join('')}--XX--\r\n`;
// SHA-256 of `abc`.
const ABC_SHA256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const abcFile = part('name="file"; filename="a.txt"', 'abc', 'text/plain');

export const uploads: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'upload-single',
    group,
    spec,
    methods: ['POST'],
    path: '/test/multipart',
    summary: 'Takes a file with an id and a token.',
    description:
      'The id and the token may also stand in the query. The file can be downloaded under its name.',
    body: {
      required: true,
      content: { 'multipart/form-data': Type.Object({ id: Type.String(), token: Type.String(), file }) },
    },
    responses: {
      200: json('What arrived, in one line.', Type.String()),
      400: problem('A field is missing, the form is broken, or the file name is refused.'),
      413: tooLarge,
      507: folderFull,
    },
    examples: [
      {
        name: 'all three',
        headers: multipartType,
        body: multipart(part('name="id"', '7'), part('name="token"', 't'), abcFile),
        expect: { status: 200, text: `"id=7, token=t, file=a.txt (3 bytes, sha256 ${ABC_SHA256})"\n` },
      },
      {
        name: 'no token',
        headers: multipartType,
        body: multipart(part('name="id"', '7'), abcFile),
        expect: { status: 400, json: { name: 'token' } },
      },
      {
        name: 'a name that tries to leave the folder',
        path: '/test/multipart?id=1&token=t',
        headers: multipartType,
        body: multipart(part('name="file"; filename="../../evil"', 'abc')),
        expect: { status: 400, json: { name: 'fileName', rule: 'must not contain / or \\' } },
      },
      { name: 'no form at all', body: 'abc', expect: { status: 400, json: { name: 'id' } } },
    ],
    handle: (call) =>
      storeForm(call, (form) => {
        const id = required(call, form, 'id');
        const token = required(call, form, 'token');
        const stored = form.files.find(({ field }) => field === 'file');
        if (!stored) throw fault('parameter.missing', { in: 'form', name: 'file' });
        return {
          files: [stored],
          result: reply.json(`id=${id}, token=${token}, file=${describeFile(stored)}`),
        };
      }),
  }),
  endpoint({
    id: 'upload-multiple',
    group,
    spec,
    methods: ['POST'],
    path: '/test/multipartMultiple',
    summary: 'Takes several files.',
    description:
      'Declared in the query, as the specification has it; usually sent as parts `files` of a multipart form. A text in the query is stored as `files-1.txt` and so on.',
    query: Type.Object({ files: Type.Array(file) }),
    responses: {
      200: json('The files, in the order they were sent.', Type.Array(uploadFileResponse)),
      400: problem('There is no file, the form is broken, or a file name is refused.'),
      413: tooLarge,
      507: folderFull,
    },
    examples: [
      {
        name: 'two parts',
        headers: ['Host', 'a.example', ...multipartType],
        body: multipart(
          part('name="files"; filename="a.txt"', 'abc', 'text/plain'),
          part('name="files"; filename="ş b.bin"', '', 'application/octet-stream'),
        ),
        expect: {
          status: 200,
          json: [
            {
              fileName: 'a.txt',
              fileDownloadUri: 'http://a.example/test/downloadFile/a.txt',
              fileType: 'text/plain',
              size: 3,
            },
            {
              fileName: 'ş b.bin',
              fileDownloadUri: 'http://a.example/test/downloadFile/%C5%9F%20b.bin',
              fileType: 'application/octet-stream',
              size: 0,
            },
          ],
        },
      },
      {
        name: 'in the query',
        path: '/test/multipartMultiple?files=abc&files=de',
        headers: ['Host', 'a.example'],
        expect: {
          status: 200,
          json: [
            {
              fileName: 'files-1.txt',
              fileDownloadUri: 'http://a.example/test/downloadFile/files-1.txt',
              fileType: 'text/plain',
              size: 3,
            },
            {
              fileName: 'files-2.txt',
              fileDownloadUri: 'http://a.example/test/downloadFile/files-2.txt',
              fileType: 'text/plain',
              size: 2,
            },
          ],
        },
      },
      { name: 'nothing anywhere', expect: { status: 400, json: { name: 'files' } } },
    ],
    handle: async (call) => {
      const inQuery = await storeTexts(call, call.query.files);
      const inForm = await storeForm(call, ({ files }) => {
        const sent = files.filter(({ field }) => field === 'files' || field === 'files[]');
        if (sent.length + inQuery.length === 0)
          throw fault('parameter.missing', { in: 'query or form', name: 'files' });
        return { files: sent, result: sent };
      });
      return reply.json([...inQuery, ...inForm].map((stored) => shown(call, stored)));
    },
  }),
  endpoint({
    id: 'upload-file',
    group,
    spec,
    methods: ['POST'],
    path: '/test/fileUpload',
    summary: 'Takes one file: as JSON, as a form, or as the bare body.',
    description:
      'JSON holds the content in Base64 as `file`, and may name it by `fileName`. A bare body may be named by `fileName` in the query or by Content-Disposition.',
    body: {
      required: true,
      content: { 'application/json': Type.Object({ file, fileName: Type.Optional(Type.String()) }) },
    },
    responses: {
      200: json('What arrived, in one line.', Type.String()),
      400: problem('There is no file, it cannot be read, or its name is refused.'),
      413: tooLarge,
      507: folderFull,
    },
    examples: [
      {
        name: 'JSON with Base64',
        headers: ['Content-Type', 'application/json'],
        body: '{"file":"YWJj","fileName":"a.txt"}',
        expect: { status: 200, text: `"file=a.txt (3 bytes, sha256 ${ABC_SHA256})"\n` },
      },
      {
        name: 'raw octets',
        headers: [
          'Content-Type',
          'application/octet-stream',
          'Content-Disposition',
          "attachment; filename*=UTF-8''%C5%9F.bin",
        ],
        body: 'abc',
        expect: { status: 200, text: `"file=ş.bin (3 bytes, sha256 ${ABC_SHA256})"\n` },
      },
      {
        name: 'a form',
        headers: multipartType,
        body: multipart(abcFile),
        expect: { status: 200, text: `"file=a.txt (3 bytes, sha256 ${ABC_SHA256})"\n` },
      },
      {
        name: 'JSON without a file',
        headers: ['Content-Type', 'application/json'],
        body: '{}',
        expect: { status: 400, json: { name: 'file' } },
      },
      {
        name: 'JSON whose file is not Base64',
        headers: ['Content-Type', 'application/json'],
        body: '{"file":"***"}',
        expect: { status: 400, json: { pointer: '/file' } },
      },
      { name: 'no body', expect: { status: 400 } },
    ],
    handle: async (call) => reply.json(`file=${describeFile(await storeSingleFile(call))}`),
  }),
];

/** A text the client must give, in the query or in the form. */
function required({ request }: TestbedCall, { fields }: Form, name: string): string {
  const pair = [...request.queryPairs, ...fields].find(([key]) => key === name);
  if (!pair) throw fault('parameter.missing', { in: 'form', name });
  return pair[1];
}

function shown(call: TestbedCall, { fileName, contentType, size }: StoredFile | FormFile) {
  return { fileName, fileDownloadUri: downloadUri(call, fileName), fileType: contentType, size };
}
