import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SaxesParser } from 'saxes';
import { Type } from 'typebox';
import { reply } from './answer.ts';
import { int32, int64, json, noBody, rawBody } from './declarations.ts';
import { endpointsFor } from './endpoint.ts';
import { describeAsWadl } from './wadl.ts';

const endpoint = endpointsFor<object>();
const handle = () => reply.empty();

const document = describeAsWadl([
  endpoint({
    id: 'read',
    group: 'A',
    methods: ['GET', 'ANY'],
    path: '/a/{id}/{rest**}',
    summary: 'Reads <a> & b.',
    params: Type.Object({ id: int64(), rest: Type.String() }),
    query: Type.Object({ n: Type.Optional(int32({ default: 3 })), q: Type.Array(Type.Boolean()) }),
    responses: { 200: json('It.'), 404: noBody('None.') },
    examples: [],
    handle,
  }),
  endpoint({
    id: 'write',
    group: 'A',
    methods: ['PUT'],
    path: '/a/{id}/{rest**}',
    summary: 'Writes.',
    body: rawBody('text/plain'),
    responses: { 204: noBody('Done.') },
    examples: [],
    handle,
  }),
])('http://h/?a&"');

test('entries of one path are methods of one resource', () => {
  assert.equal(
    document,
    `<?xml version="1.0" encoding="UTF-8"?>
<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <resources base="http://h/?a&amp;&quot;">
    <resource path="/a/{id}/{rest}">
      <param name="id" style="template" type="xs:long" required="true"/>
      <param name="rest" style="template" type="xs:string" required="true"/>
      <method name="GET" id="read">
        <doc title="Reads &lt;a&gt; &amp; b."/>
        <request>
          <param name="n" style="query" type="xs:int" default="3"/>
          <param name="q" style="query" type="xs:boolean" required="true" repeating="true"/>
        </request>
        <response status="200">
          <representation mediaType="application/json"/>
        </response>
        <response status="404"/>
      </method>
      <method name="PUT" id="write">
        <doc title="Writes."/>
        <request>
          <representation mediaType="text/plain"/>
        </request>
        <response status="204"/>
      </method>
    </resource>
  </resources>
</application>
`,
  );
});

test('it is well-formed XML', () => {
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(document).close();
});
