import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, html, json, noBody, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { baseUrlOf, pageHeaders } from '../../../kernel/page/answers.ts';
import { asUriReference } from '../../../kernel/problem.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { servedAnswer } from './served-answer.ts';

const shared = { group: 'Documentation', methods: ['GET'], access: 'open' } as const;
const notKept = ['Cache-Control', 'no-cache', ...pageHeaders];
const unchanged = noBody('It has not changed.');

export const documentationEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...shared,
    id: 'openapi-json',
    path: '/openapi.json',
    summary: 'The OpenAPI 3.1 document of this API.',
    responses: { 200: json('The document.'), 304: unchanged },
    examples: [{ name: 'document', expect: { status: 200, json: { openapi: '3.1.0' } } }],
    handle: ({ request, services }) =>
      servedAnswer(request, services.descriptions.openApiJson(), 'application/json', notKept),
  }),
  endpoint({
    ...shared,
    id: 'root',
    path: '/',
    summary: 'Leads whoever opens the address of the Manager to the documentation.',
    responses: { 302: noBody('The documentation page.') },
    examples: [{ name: 'lead', expect: { status: 302, headers: { location: 'docs' } } }],
    handle: () => reply.empty(302, ['Location', 'docs']),
  }),
  endpoint({
    ...shared,
    id: 'documentation-page',
    path: '/docs',
    summary: 'This page: every endpoint, described and ready to be tried.',
    responses: { 200: html('The page.'), 304: unchanged },
    examples: [{ name: 'page', expect: { status: 200, text: /^<!doctype html>/ } }],
    handle: (call) =>
      servedAnswer(
        call.request,
        call.services.descriptions.page().html(baseUrlOf(call)),
        'text/html; charset=utf-8',
        notKept,
      ),
  }),
  endpoint({
    ...shared,
    id: 'documentation-endpoint',
    path: '/assets/endpoints/{id}',
    summary: 'What the page shows of one endpoint, as a piece of HTML.',
    params: Type.Object({ id: Type.String() }),
    responses: { 200: html('The piece.'), 304: unchanged, 404: problem('There is no such endpoint.') },
    examples: [
      {
        name: 'of one endpoint',
        path: '/assets/endpoints/project-get',
        expect: { status: 200, text: /^<div class="full">/ },
      },
      { name: 'of none', path: '/assets/endpoints/nonesuch', expect: { status: 404 } },
    ],
    handle: (call) => {
      const { request, params, services } = call;
      const markup = services.descriptions.page().endpointHtml(params.id, baseUrlOf(call));
      if (markup === undefined) throw fault('route.not-found', { path: asUriReference(request.rawPath) });
      return servedAnswer(request, markup, 'text/html; charset=utf-8', notKept);
    },
  }),
  endpoint({
    ...shared,
    id: 'documentation-asset',
    path: '/assets/{revision}/{name}',
    summary: 'A stylesheet, script or picture of the page.',
    params: Type.Object({ revision: Type.String(), name: Type.String() }),
    responses: { 200: anyType('The file.'), 304: unchanged, 404: problem('There is no such file.') },
    examples: [
      {
        name: 'stylesheet',
        path: '/assets/latest/page.css',
        expect: { status: 200, headers: { 'cache-control': 'no-cache', 'content-type': /^text\/css/ } },
      },
      { name: 'no file of the page', path: '/assets/latest/..%2Fpage.ts', expect: { status: 404 } },
    ],
    handle: ({ request, params, services }) => {
      const { asset, assetRevision } = services.descriptions.page();
      const file = asset(params.name);
      if (!file) throw fault('route.not-found', { path: asUriReference(request.rawPath) });
      const kept = ['Cache-Control', 'public, max-age=31536000, immutable', ...pageHeaders];
      const headers = params.revision === assetRevision ? kept : notKept;
      return servedAnswer(request, file.bytes, file.contentType, headers);
    },
  }),
];
