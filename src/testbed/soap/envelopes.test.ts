import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { envelope } from './example-messages.ts';
import { type SoapVersion, soap11, soap12 } from './soap-version.ts';

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed({ settings: { limits: { maxBodyBytes: 100_000 } } });
});
after(async () => {
  await testbed.close();
  assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
});

async function post(path: string, contentType: string, body: string | Buffer, ...lines: string[]) {
  const bytes = Buffer.from(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: soap.example',
    `Content-Type: ${contentType}`,
    `Content-Length: ${bytes.length}`,
    'Connection: close',
    ...lines,
  ];
  const answer = await rawRequest(
    testbed.port,
    Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]),
  );
  return { status: answer.status, type: answer.header('content-type'), text: answer.body.toString('utf8') };
}

const echoOf = (text: string) => `<t:Echo><t:text>${text}</t:text></t:Echo>`;
const versions: readonly SoapVersion[] = [soap11, soap12];

for (const version of versions) {
  describe(`SOAP ${version.name}`, () => {
    const { mediaType, namespace } = version;
    const send = (body: string | Buffer, ...lines: string[]) => post('/soap/echo', mediaType, body, ...lines);

    /** Name, document, code of the fault in SOAP 1.2, part of its reason. */
    const refused: ReadonlyArray<[name: string, document: string, code: string, reason: RegExp]> = [
      ['nothing', '', 'Sender', /not well-formed/],
      ['no XML', 'hello', 'Sender', /not well-formed/],
      ['XML that breaks off', `<s:Envelope xmlns:s="${namespace}"><s:Body>`, 'Sender', /not well-formed/],
      ['an entity nobody declared', envelope(version, '<a>&x;</a>'), 'Sender', /not well-formed/],
      ['a prefix nobody declared', envelope(version, '<x:a/>'), 'Sender', /not well-formed/],
      ['a document type', `<!DOCTYPE a>${envelope(version, '')}`, 'Sender', /document type declaration/],
      ['another root', `<s:Letter xmlns:s="${namespace}"/>`, 'Sender', /no Envelope, but s:Letter/],
      [
        'an unknown version',
        '<s:Envelope xmlns:s="urn:soap:9"><s:Body/></s:Envelope>',
        'VersionMismatch',
        /"urn:soap:9"/,
      ],
      ['no namespace', '<Envelope><Body/></Envelope>', 'VersionMismatch', /namespace ""/],
      ['no Body', `<s:Envelope xmlns:s="${namespace}"/>`, 'Sender', /no Body/],
      [
        'a Body of no namespace',
        `<s:Envelope xmlns:s="${namespace}"><Body/></s:Envelope>`,
        'Sender',
        /no Body/,
      ],
      [
        'a Header after the Body',
        `<s:Envelope xmlns:s="${namespace}"><s:Body/><s:Header/></s:Envelope>`,
        'Sender',
        /follows the Body/,
      ],
      [
        'two Bodies',
        `<s:Envelope xmlns:s="${namespace}"><s:Body/><s:Body/></s:Envelope>`,
        'Sender',
        /follows the Body/,
      ],
      [
        'text in the Envelope',
        `<s:Envelope xmlns:s="${namespace}">x<s:Body/></s:Envelope>`,
        'Sender',
        /directly within s:Envelope/,
      ],
      ['text in the Body', envelope(version, 'x'), 'Sender', /directly within s:Body/],
      [
        'elements too deep',
        envelope(version, `${'<a>'.repeat(200)}${'</a>'.repeat(200)}`),
        'Sender',
        /nested deeper than 100/,
      ],
      [
        'a block that must be understood',
        envelope(version, echoOf(''), '<x:a xmlns:x="urn:x" s:mustUnderstand="1"/>'),
        'MustUnderstand',
        /\{urn:x\}a/,
      ],
      [
        'a block for whoever is next',
        envelope(
          version,
          echoOf(''),
          `<x:a xmlns:x="urn:x" s:mustUnderstand="1" s:${version.role.attribute}="${version.role.ours[1]}"/>`,
        ),
        'MustUnderstand',
        /\{urn:x\}a/,
      ],
      [
        'a mustUnderstand that is neither',
        envelope(version, echoOf(''), '<x:a xmlns:x="urn:x" s:mustUnderstand="yes"/>'),
        'Sender',
        /neither true nor false/,
      ],
      ['a message too large', envelope(version, 'x'.repeat(200_000)), 'Sender', /./],
    ];
    for (const [name, document, code, reason] of refused) {
      test(`${name} is answered by the fault ${code}`, async () => {
        const answer = await send(document);
        const is11 = version.name === '1.1';
        assert.equal(answer.status, !is11 && code === 'Sender' ? 400 : 500);
        assert.equal(answer.type, `${mediaType}; charset=utf-8`);
        assert.ok(answer.text.includes(`<soap:Envelope xmlns:soap="${namespace}">`), answer.text);
        const spelled = is11
          ? `<faultcode>soap:${code.replace('Sender', 'Client')}<`
          : `<soap:Value>soap:${code}<`;
        assert.ok(answer.text.includes(spelled), answer.text);
        const reasonText = /<(?:faultstring|soap:Text) xml:lang="en">([^<]*)</.exec(answer.text)?.[1];
        assert.match(reasonText!.replaceAll('&quot;', '"'), reason);
      });
    }

    const taken: ReadonlyArray<[name: string, document: string | Buffer, lines: string[]]> = [
      ['an XML declaration', `<?xml version="1.0"?>\n${envelope(version, echoOf('x'))}`, []],
      ['blanks and comments', `<!-- a --> ${envelope(version, ` ${echoOf('x')}\n<!-- b -->`)} `, []],
      ['a byte order mark', `\ufeff${envelope(version, echoOf('x'))}`, []],
      ['UTF-16', Buffer.from(`\ufeff${envelope(version, echoOf('x'))}`, 'utf16le'), []],
      ['gzip', gzipSync(envelope(version, echoOf('x'))), ['Content-Encoding: gzip']],
      [
        'a block that need not be understood',
        envelope(version, echoOf('x'), '<y:a xmlns:y="urn:y" s:mustUnderstand="0"/>'),
        [],
      ],
      [
        'a block for somebody else',
        envelope(
          version,
          echoOf('x'),
          `<y:a xmlns:y="urn:y" s:mustUnderstand="1" s:${version.role.attribute}="urn:else"/>`,
        ),
        [],
      ],
    ];
    for (const [name, document, lines] of taken) {
      test(`${name} is taken`, async () => {
        const answer = await send(document, ...lines);
        assert.equal(answer.status, 200, answer.text);
        assert.match(answer.text, /<text>x<\/text>/);
      });
    }

    test('an encoding other than the literal one is known to SOAP 1.2 alone', async () => {
      const encodedBy = (style: string) => envelope(version, `<t:Echo s:encodingStyle="${style}"/>`);
      const strange = await send(encodedBy('http://schemas.xmlsoap.org/soap/encoding/'));
      const literal = await send(encodedBy(`${namespace}/encoding/none`));
      assert.equal(strange.status, version.name === '1.1' ? 200 : 500);
      assert.equal(/<soap:Value>soap:DataEncodingUnknown</.test(strange.text), version.name === '1.2');
      assert.equal(literal.status, 200);
    });

    test('namespaces declared on the Envelope go with the content that is echoed', async () => {
      const document = `<s:Envelope xmlns:s="${namespace}" xmlns:q="urn:q" xmlns="urn:default"><s:Body><q:a><b/></q:a></s:Body></s:Envelope>`;
      const { text } = await send(document);
      assert.match(text, /<q:a [^>]*xmlns:q="urn:q"[^>]* xmlns="urn:default"[^>]*>\s*<b\/>\s*<\/q:a>/);
    });

    test('the charset of the Content-Type counts', async () => {
      const bytes = Buffer.concat([
        Buffer.from(envelope(version, echoOf('@')).split('@')[0]!),
        Buffer.from([0xfe, 0xfd, 0xf0]),
        Buffer.from(envelope(version, echoOf('@')).split('@')[1]!),
      ]);
      const answer = await post('/soap/echo', `${mediaType}; charset=iso-8859-9`, bytes);
      assert.match(answer.text, /<text>şığ<\/text>/);
      const wrong = await post('/soap/echo', `${mediaType}; charset=utf-8`, bytes);
      assert.match(wrong.text, /not valid UTF-8/);
      const unknown = await post('/soap/echo', `${mediaType}; charset=klingon`, bytes);
      assert.match(unknown.text, /charset klingon is not understood/);
    });

    test('an action that belongs to another operation is refused', async () => {
      const action = 'urn:gatehouse:testservice:soap/Add';
      const answer =
        version.name === '1.1'
          ? await post('/soap', mediaType, envelope(version, echoOf('')), `SOAPAction: "${action}"`)
          : await post('/soap', `${mediaType}; action="${action}"`, envelope(version, echoOf('')));
      assert.match(
        answer.text,
        /does not belong to Echo; send &quot;urn:gatehouse:testservice:soap\/Echo&quot;/,
      );
    });

    test('operations want one element of their namespace', async () => {
      const two = await post('/soap', mediaType, envelope(version, echoOf('') + echoOf('')));
      assert.match(two.text, /must hold one element, but holds 2/);
      const none = await post('/soap', mediaType, envelope(version, ''));
      assert.match(none.text, /but holds 0/);
      const strange = await post('/soap', mediaType, envelope(version, '<Echo xmlns="urn:other"/>'));
      assert.match(strange.text, /no operation \{urn:other\}Echo here/);
      const inherited = await post('/soap', mediaType, envelope(version, '<t:toString/>'));
      assert.match(inherited.text, /no operation \{[^}]+\}toString here/);
    });
  });
}

describe('the calculator', () => {
  const cases: ReadonlyArray<[operation: string, a: string, b: string, outcome: RegExp]> = [
    ['Add', '2', '3', /<result>5</],
    ['Add', ' 2 ', '+3', /<result>5</],
    ['Subtract', '2', '3', /<result>-1</],
    ['Multiply', '-4', '0', /<result>0</],
    ['Divide', '7', '2', /<result>3</],
    ['Divide', '-7', '2', /<result>-3</],
    ['Divide', '0', '-5', /<result>0</],
    ['Divide', '-2147483648', '-1', /<OutOfRange /],
    ['Add', '2147483647', '1', /<OutOfRange /],
    ['Divide', '1', '0', /<DivisionByZero /],
    ['Add', '2147483648', '1', /Add needs a, a whole number of 32 bits/],
    ['Add', '1', '1.5', /Add needs b, a whole number/],
    ['Add', '', '1', /Add needs a/],
  ];
  for (const [operation, a, b, outcome] of cases) {
    test(`${operation} of ${a} and ${b}`, async () => {
      const body = `<t:${operation}><t:a>${a}</t:a><t:b>${b}</t:b></t:${operation}>`;
      assert.match((await post('/soap/calculator', 'text/xml', envelope(soap11, body))).text, outcome);
    });
  }
});

describe('packages', () => {
  const XOP = 'http://www.w3.org/2004/08/xop/include';
  const request = `<t:EchoAttachment><t:name>n</t:name><t:content><x:Include xmlns:x="${XOP}" href="cid:a%40b"/></t:content></t:EchoAttachment>`;
  const content = Buffer.from([0, 13, 10, 255, 45, 45]);
  const packageOf = (version: SoapVersion, rootFirst: boolean) => {
    const root = Buffer.from(
      `--b\r\nContent-Type: application/xop+xml; charset=utf-8; type="${version.mediaType}"\r\nContent-ID: <root>\r\n\r\n${envelope(version, request)}\r\n`,
    );
    const part = Buffer.concat([
      Buffer.from('--b\r\nContent-Type: image/png\r\nContent-ID: <a@b>\r\n\r\n'),
      content,
      Buffer.from('\r\n'),
    ]);
    return Buffer.concat([...(rootFirst ? [root, part] : [part, root]), Buffer.from('--b--\r\n')]);
  };

  for (const version of versions) {
    for (const path of ['/soap/mtom', '/soap']) {
      test(`${path} takes and gives an attachment in SOAP ${version.name}`, async () => {
        const type = `multipart/related; type="application/xop+xml"; boundary=b; start="<root>"; start-info="${version.mediaType}"`;
        const answer = await post(path, type, packageOf(version, false));
        assert.equal(answer.status, 200, answer.text);
        assert.match(answer.type!, /^multipart\/related; type="application\/xop\+xml"/);
        assert.ok(answer.type!.endsWith(`start-info="${version.mediaType}"`));
        assert.match(answer.text, /<size>6<\/size>/);
        assert.match(answer.text, /href="cid:attachment-1@testservice"/);
      });
    }
  }

  test('the bytes of an attachment come back as they were', async () => {
    const type = 'multipart/related; type="application/xop+xml"; boundary=b; start-info="text/xml"';
    const body = packageOf(soap11, true);
    const head = `POST /soap/mtom HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const answer = await rawRequest(testbed.port, Buffer.concat([Buffer.from(head), body]));
    const at = answer.body.indexOf('Content-ID: <attachment-1@testservice>\r\n\r\n') + 42;
    assert.deepEqual(answer.body.subarray(at, at + content.length), content);
  });

  test('without a package the same operation gives base64', async () => {
    const body = '<t:EchoAttachment><t:name/><t:content> AAEC\n/w== </t:content></t:EchoAttachment>';
    const answer = await post('/soap', 'text/xml', envelope(soap11, body));
    assert.match(answer.text, /<size>4<\/size>[\s\S]*<content>AAEC\/w==<\/content>/);
  });

  test('what is no package is refused', async () => {
    const cases: ReadonlyArray<[type: string, body: string, reason: RegExp]> = [
      ['multipart/related; type="text/xml"', 'x', /names no boundary/],
      ['multipart/related; type="text/xml"; boundary=b', 'x', /boundary does not occur/],
      [
        'multipart/related; type="text/xml"; boundary=b; start="<none>"',
        '--b\r\n\r\n<a/>\r\n--b--',
        /no part none/,
      ],
    ];
    for (const [type, body, reason] of cases) {
      const answer = await post('/soap/mtom', type, body);
      assert.equal(answer.status, 500);
      assert.match(answer.text, reason);
    }
  });
});
