import { Type } from 'typebox';
import type { Answer } from '../../kernel/catalogue/answer.ts';
import { reply } from '../../kernel/catalogue/answer.ts';
import { binary, json, noBody, problem } from '../../kernel/catalogue/declarations.ts';
import type { Example } from '../../kernel/catalogue/endpoint.ts';
import { fault } from '../../kernel/faults.ts';
import { bmpImage } from '../content/images/bmp.ts';
import { embeddedImage } from '../content/images/embedded.ts';
import { gifImage } from '../content/images/gif.ts';
import { icoImage } from '../content/images/ico.ts';
import { pngImage } from '../content/images/png.ts';
import { svgImage } from '../content/images/svg.ts';
import { chooseMediaType } from '../content/negotiation.ts';
import { rangedAnswer } from '../content/ranged.ts';
import { dialectOf } from '../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Images';
const defaultSide = 96;
const maxSide = 2048;

interface ImageFormat {
  readonly mediaType: string;
  readonly make: (width: number, height: number) => Buffer | Promise<Buffer>;
  /** Formats that are drawn by code can have any size. */
  readonly isScalable: boolean;
  /** How a file of this format begins, in hex. */
  readonly magic: string;
}

const formats = {
  png: { mediaType: 'image/png', make: pngImage, isScalable: true, magic: '89504e470d0a1a0a' },
  jpeg: { mediaType: 'image/jpeg', make: () => embeddedImage('jpeg'), isScalable: false, magic: 'ffd8ffe0' },
  svg: {
    mediaType: 'image/svg+xml',
    make: (width, height) => Buffer.from(svgImage(width, height)),
    isScalable: true,
    magic: '3c3f786d6c',
  },
  webp: {
    mediaType: 'image/webp',
    make: () => embeddedImage('webp'),
    isScalable: false,
    magic: '52494646fa00000057454250',
  },
  gif: { mediaType: 'image/gif', make: gifImage, isScalable: false, magic: '474946383961' },
  avif: {
    mediaType: 'image/avif',
    make: () => embeddedImage('avif'),
    isScalable: false,
    magic: '000000206674797061766966',
  },
  ico: { mediaType: 'image/x-icon', make: () => icoImage(32), isScalable: false, magic: '000001000100' },
  bmp: { mediaType: 'image/bmp', make: bmpImage, isScalable: false, magic: '424d' },
} as const satisfies Record<string, ImageFormat>;

type FormatName = keyof typeof formats;

// The pictures never change, so neither does the date they are shown with.
const lastModified = new Date(Date.UTC(2026, 3, 1));

async function imageAnswer(
  call: TestbedCall,
  name: FormatName,
  { width, height }: { width: number; height: number },
  headers: readonly string[] = [],
): Promise<Answer> {
  const { make, mediaType }: ImageFormat = formats[name];
  const bytes = await make(width, height);
  return rangedAnswer(call, bytes, { contentType: mediaType, lastModified, headers });
}

const usualSize = { width: defaultSide, height: defaultSide };

function sizeOf(text: string | undefined): { width: number; height: number } {
  if (text === undefined) return usualSize;
  const [width = 0, height = 0] = text.split(/x/i).map(Number);
  if (width < 1 || height < 1 || width > maxSide || height > maxSide) {
    const rule = `must have sides between 1 and ${maxSide}`;
    throw fault('parameter.invalid', { in: 'query', name: 'size', rule });
  }
  return { width, height };
}

// httpbin's order of preference among formats that are named with the same weight.
const negotiable = ['webp', 'svg', 'jpeg', 'png', 'avif', 'gif'] as const satisfies readonly FormatName[];

/** The format Accept asks for. Where only a wildcard matches best it is PNG, as without the field. */
function negotiatedFormat(accept: string | undefined): FormatName | undefined {
  const offered = negotiable.map((name) => formats[name].mediaType);
  const { ranked } = chooseMediaType(accept, offered);
  const best = ranked.filter((offer) => offer.isAcceptable && offer.quality === ranked[0]?.quality);
  const chosen =
    best.find(({ decidedBy }) => decidedBy.includes('/') && !decidedBy.includes('*')) ??
    best.find(({ value }) => value === 'image/png') ??
    best[0];
  return negotiable.find((name) => formats[name].mediaType === chosen?.value);
}

const imageByAccept = endpoint({
  id: 'image',
  group,
  methods: ['GET'],
  path: '/image',
  summary: 'A picture in the format that Accept asks for.',
  description:
    'Weights decide; among equals webp, svg, jpeg, png, avif, gif. Wildcards and no Accept at all give PNG.',
  responses: {
    200: binary('The picture.', 'image/*'),
    206: binary('A part of it.', 'image/*'),
    304: noBody('The client has it already.'),
    406: json('No format that we have is acceptable.'),
    412: problem('A precondition does not hold.'),
    415: json('No format that we have is acceptable (go dialect).'),
    416: noBody('The picture has no such part.'),
  },
  examples: [
    { name: 'no Accept', expect: { status: 200, headers: { 'content-type': 'image/png', vary: 'Accept' } } },
    {
      name: 'the heavier weight wins',
      headers: ['Accept', 'image/webp;q=0.5, image/jpeg;q=0.9'],
      expect: { status: 200, headers: { 'content-type': 'image/jpeg' } },
    },
    {
      name: 'httpbin order among equals',
      headers: ['Accept', 'image/png, image/svg+xml, image/webp'],
      expect: { status: 200, headers: { 'content-type': 'image/webp' } },
    },
    {
      name: 'a wildcard gives PNG',
      headers: ['Accept', 'image/*'],
      expect: { status: 200, headers: { 'content-type': 'image/png' } },
    },
    {
      name: 'excluded formats are not sent',
      headers: ['Accept', '*/*, image/png;q=0'],
      expect: { status: 200, headers: { 'content-type': 'image/webp' } },
    },
    {
      name: 'nothing acceptable',
      headers: ['Accept', 'text/html'],
      expect: {
        status: 406,
        json: { accept: ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*'] },
      },
    },
  ],
  handle: (call) => {
    const name = negotiatedFormat(call.request.headers.get('accept'));
    const vary = ['Vary', 'Accept'];
    if (name) return imageAnswer(call, name, usualSize, vary);
    const accept = ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*'];
    return reply.json(
      { accept, message: 'Client did not request a supported media type.' },
      { status: dialectOf(call) === 'go' ? 415 : 406, headers: vary },
    );
  },
});

const sizeQuery = Type.Object({
  size: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,4}[xX][0-9]{1,4}$',
      description: `Width and height in pixels, such as 320x200; each at most ${maxSide}.`,
    }),
  ),
});

function imageIn(name: FormatName): TestbedEndpoint {
  const { mediaType, isScalable, magic }: ImageFormat = formats[name];
  return endpoint({
    id: `image-${name}`,
    group,
    methods: ['GET'],
    path: `/image/${name}`,
    summary: `A picture as ${mediaType}.`,
    description: 'It has a strong ETag and a Last-Modified, and answers conditions and ranges.',
    ...(isScalable ? { query: sizeQuery } : {}),
    responses: {
      200: binary('The picture.', mediaType),
      206: binary('The part that Range asks for.', mediaType),
      304: noBody('The client has it already.'),
      400: problem('The size is not valid.'),
      412: problem('A precondition does not hold.'),
      416: noBody('The picture has no such part.'),
    },
    examples: [
      {
        name: 'its first bytes',
        headers: ['Range', `bytes=0-${magic.length / 2 - 1}`],
        expect: { status: 206, hex: magic, headers: { 'content-type': mediaType } },
      },
      {
        name: 'the whole, cacheable',
        expect: {
          status: 200,
          headers: {
            'content-type': mediaType,
            etag: /^"[\w-]{27}"$/,
            'last-modified': 'Wed, 01 Apr 2026 00:00:00 GMT',
            'accept-ranges': 'bytes',
          },
        },
      },
      {
        name: 'not modified',
        headers: ['If-Modified-Since', 'Wed, 01 Apr 2026 00:00:00 GMT'],
        expect: { status: 304, length: 0 },
      },
      {
        name: 'no such part',
        headers: ['Range', 'bytes=1000000-'],
        expect: { status: 416, headers: { 'content-range': /^bytes \*\/\d+$/ } },
      },
      ...(isScalable ? sizeExamples[name as 'png' | 'svg'] : []),
    ],
    handle: (call) => imageAnswer(call, name, isScalable ? sizeOf(call.query.size) : usualSize),
  });
}

const refusedSizes: readonly Example[] = [
  { name: 'not a size', path: '/image/png?size=big', expect: { status: 400, json: { detail: /size/ } } },
  { name: 'too large', path: '/image/png?size=9999x1', expect: { status: 400, json: { detail: /2048/ } } },
];

const sizeExamples: Readonly<Record<'png' | 'svg', readonly Example[]>> = {
  png: [
    {
      name: 'a size of its own',
      path: '/image/png?size=320x200',
      headers: ['Range', 'bytes=16-23'],
      expect: { status: 206, hex: '00000140000000c8' },
    },
    ...refusedSizes,
  ],
  svg: [
    {
      name: 'a size of its own',
      path: '/image/svg?size=320x200',
      expect: { status: 200, text: /^<\?xml [^>]+>\n<svg [^>]*width="320" height="200"/ },
    },
  ],
};

export const images: readonly TestbedEndpoint[] = [
  imageByAccept,
  ...(Object.keys(formats) as FormatName[]).map(imageIn),
];
