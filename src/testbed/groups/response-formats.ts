import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { html, json, text, xml } from '../../kernel/catalogue/declarations.ts';
import {
  denyText,
  formPage,
  htmlPage,
  robotsTxt,
  slideshow,
  slideshowXml,
  utf8Page,
} from '../content/sample-documents.ts';
import { sortedJson } from '../echo/httpbin-echo.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Response Formats';
const htmlType = 'text/html; charset=utf-8';

const htmlDocument = endpoint({
  id: 'html',
  group,
  methods: ['GET'],
  path: '/html',
  summary: 'An HTML page of prose.',
  responses: { 200: html('The page.') },
  examples: [
    {
      name: 'the page',
      expect: {
        status: 200,
        headers: { 'content-type': htmlType },
        text: /^<!DOCTYPE html>.*<h1>Herman Melville - Moby-Dick<\/h1>.*<\/html>\n$/s,
      },
    },
    {
      name: 'HEAD has the same length and no body',
      method: 'HEAD',
      expect: { status: 200, headers: { 'content-length': String(Buffer.byteLength(htmlPage)) }, length: 0 },
    },
  ],
  handle: () => reply.html(htmlPage),
});

const xmlDocument = endpoint({
  id: 'xml',
  group,
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/xml',
  summary: 'An XML document: a slide show.',
  responses: { 200: xml('The document.', Type.String()) },
  examples: [
    {
      name: 'the slide show',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/xml' },
        text: /^<\?xml version='1\.0' encoding='us-ascii'\?>.*<slideshow\s+title="Sample Slide Show".*<\/slideshow>\s*$/s,
      },
    },
  ],
  handle: () => reply.bytes(slideshowXml, 'application/xml'),
});

const jsonDocument = endpoint({
  id: 'json',
  group,
  methods: ['GET'],
  path: '/json',
  summary: 'A JSON document: the same slide show.',
  responses: { 200: json('The document.') },
  examples: [
    {
      name: 'the slide show',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        json: {
          slideshow: {
            author: 'Yours Truly',
            title: 'Sample Slide Show',
            slides: slideshow.slideshow.slides,
          },
        },
        text: /^\{\n {2}"slideshow": \{\n {4}"author": /,
      },
    },
  ],
  handle: () => sortedJson(slideshow),
});

const robots = endpoint({
  id: 'robots-txt',
  group,
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/robots.txt',
  summary: 'Asks robots to stay away from /deny.',
  responses: { 200: text('The rules for robots.') },
  examples: [
    {
      name: 'the rules',
      expect: {
        status: 200,
        headers: { 'content-type': 'text/plain' },
        text: 'User-agent: *\nDisallow: /deny\n',
      },
    },
  ],
  handle: () => reply.bytes(robotsTxt, 'text/plain'),
});

const deny = endpoint({
  id: 'deny',
  group,
  methods: ['GET'],
  path: '/deny',
  summary: 'What robots.txt asks robots not to read.',
  responses: { 200: text('A closed gate.') },
  examples: [
    {
      name: 'the gate',
      expect: {
        status: 200,
        headers: { 'content-type': 'text/plain' },
        text: /THE GATE IS.*asked you not to come/s,
      },
    },
  ],
  handle: () => reply.bytes(denyText, 'text/plain'),
});

const utf8 = endpoint({
  id: 'encoding-utf8',
  group,
  methods: ['GET'],
  path: '/encoding/utf8',
  summary: 'A page of UTF-8 of one to four bytes per character.',
  responses: { 200: html('The page.') },
  examples: [
    {
      name: 'every length and direction',
      expect: {
        status: 200,
        headers: { 'content-type': htmlType, 'content-length': String(Buffer.byteLength(utf8Page)) },
        text: /şığüöç.*いろはに.*😀 🚪.*עברית/s,
      },
    },
  ],
  handle: () => reply.html(utf8Page),
});

const form = endpoint({
  id: 'forms-post',
  group,
  methods: ['GET'],
  path: '/forms/post',
  summary: 'An HTML form that posts to /post.',
  responses: { 200: html('The form.') },
  examples: [
    {
      name: 'the form',
      expect: {
        status: 200,
        headers: { 'content-type': htmlType },
        text: /<form method="post" action="\/post">.*name="custname".*name="topping" value="cheese".*name="comments"/s,
      },
    },
  ],
  handle: () => reply.html(formPage),
});

const plain = endpoint({
  id: 'response-plain',
  group,
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/response/plain',
  summary: 'A plain text with a Content-Length.',
  responses: { 200: text('The text.') },
  examples: [
    {
      name: 'the text',
      expect: {
        status: 200,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'content-length': '18',
          'transfer-encoding': null,
        },
        text: 'A plain response.\n',
      },
    },
  ],
  handle: () => reply.text('A plain response.\n'),
});

export const responseFormats: readonly TestbedEndpoint[] = [
  htmlDocument,
  xmlDocument,
  jsonDocument,
  robots,
  deny,
  utf8,
  form,
  plain,
];
