import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';

interface SpecialAnswer {
  readonly headers: readonly string[];
  readonly body?: string;
}

const toRedirect: SpecialAnswer = { headers: ['Location', '/redirect/1'] };

const notAcceptable = `${JSON.stringify({
  message: 'Client did not request a supported media type.',
  accept: ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*'],
})}\n`;

const teapot = String.raw`
              ,
             (_)
         .-'"""""'-.      ) )
   ___  /  I am a   \___ ( (
  /   \|   teapot,  |   \_)/
 |  |  |  short and |  ____/
  \  \_|   stout    | /
   '--. \          /-'
       '.'-.____.-'
         '--------'
`;

/** What a code brings along besides itself; httpbin's table with texts of our own. */
const specialAnswers: Readonly<Record<number, SpecialAnswer>> = {
  301: toRedirect,
  302: toRedirect,
  303: toRedirect,
  305: toRedirect,
  307: toRedirect,
  401: { headers: ['WWW-Authenticate', 'Basic realm="Fake Realm"'] },
  402: {
    headers: ['x-more-info', 'https://www.rfc-editor.org/rfc/rfc9110#section-15.5.3'],
    body: 'Payment first, please.\n',
  },
  406: { headers: ['Content-Type', 'application/json'], body: notAcceptable },
  407: { headers: ['Proxy-Authenticate', 'Basic realm="Fake Realm"'] },
  418: { headers: ['x-more-info', 'http://tools.ietf.org/html/rfc2324'], body: teapot },
};

/** Where go-httpbin says more than httpbin does. */
const goSpecialAnswers: Readonly<Record<number, SpecialAnswer>> = {
  300: {
    headers: ['Location', '/image/jpeg'],
    body: '<!doctype html>\n<title>Multiple Choices</title>\n<ul>\n<li><a href="/image/jpeg">/image/jpeg</a>\n<li><a href="/image/png">/image/png</a>\n<li><a href="/image/svg">/image/svg</a>\n</ul>\n',
  },
  308: {
    headers: ['Location', '/image/jpeg'],
    body: '<!doctype html>\n<title>Permanent Redirect</title>\n<p>Now at <a href="/image/jpeg">/image/jpeg</a>.\n',
  },
};

/** The answer with this final status. */
export function statusAnswer(status: number, dialect: 'httpbin' | 'go'): PlainAnswer {
  if (status === 204 || status === 205 || status === 304) return reply.empty(status);
  const special = (dialect === 'go' ? goSpecialAnswers[status] : undefined) ?? specialAnswers[status];
  const { headers = [], body = '' } = special ?? {};
  const contentType = headers.includes('Content-Type') ? undefined : defaultType(body, dialect);
  return reply.bytes(body, contentType, { status, headers });
}

function defaultType(body: string, dialect: 'httpbin' | 'go'): string {
  const isHtml = body.startsWith('<!doctype') || (body === '' && dialect === 'httpbin');
  return isHtml ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8';
}
