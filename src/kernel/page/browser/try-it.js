import { AnswerView } from './answer-view.js';
import { baseUrl } from './base-url.js';
import { changesByBrowser, impossibility, isForbidden } from './browser-limits.js';
import { curlLine } from './curl-line.js';
import { keepToken, withToken } from './given-token.js';
import { RequestForm } from './request-form.js';

const ROOM_ABOVE_ANSWER_PX = 16;

/** Brings the form of an opened row to life, filled with an example. */
export function enhanceTryIt(row) {
  const form = row.querySelector('.try-it');
  const request = new RequestForm(form);
  const answer = new AnswerView(form.querySelector('.answer'));
  const line = form.querySelector('.live');
  const showLine = () => {
    line.textContent = curlLine(withFlatHeaders(request.read()), baseUrl);
  };

  form.addEventListener('input', ({ target }) => {
    if (target.name === 'target') request.readTarget();
    else if (/^(?:path|query):/.test(target.name)) request.writeTarget();
    showLine();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const asked = request.read();
    keepToken(asked);
    send(form, asked, answer);
  });
  row.addEventListener('click', ({ target }) => {
    const button = target.closest('[data-request]');
    if (!button) return;
    request.fill(withToken(JSON.parse(button.dataset.request)));
    showLine();
    form.scrollIntoView({ block: 'nearest' });
    form.querySelector('.send').focus({ preventScroll: true });
  });

  const offered = firstOffer(row);
  if (offered) request.fill(sendable(withToken(JSON.parse(offered.dataset.request))));
  showLine();
}

async function send(form, request, answer) {
  const stopButton = form.querySelector('.stop');
  const sendButton = form.querySelector('.send');
  const bytes = bodyBytes(request);
  const refusal = bytes === undefined ? 'The body is no base64.' : impossibility({ ...request, body: bytes });
  if (refusal) {
    answer.refuse(refusal);
    return;
  }
  const { hasCredentials, followsRedirects } = form.elements;
  const url = new URL(baseUrl + request.target);
  const controller = new AbortController();
  const stop = () => controller.abort();
  stopButton.addEventListener('click', stop);
  stopButton.hidden = false;
  sendButton.disabled = true;
  const shown = answer.show({
    notes: changesByBrowser(request, url),
    respond: () =>
      fetch(url, {
        method: request.method,
        headers: request.headers,
        body: bytes.length > 0 ? bytes : undefined,
        credentials: hasCredentials.checked ? 'same-origin' : 'omit',
        redirect: followsRedirects.checked ? 'follow' : 'manual',
        cache: 'no-store',
        signal: controller.signal,
      }),
  });
  revealAnswer(form);
  await shown;
  revealAnswer(form);
  stopButton.removeEventListener('click', stop);
  stopButton.hidden = true;
  sendButton.disabled = false;
}

/** Where the form is a column of its own it scrolls by itself. */
function revealAnswer(form) {
  form.scrollTop = form.querySelector('.answer').offsetTop - ROOM_ABOVE_ANSWER_PX;
}

/** Undefined when the base64 is none. Bytes, because for text the browser would add a Content-Type. */
function bodyBytes({ body = '', bodyBase64 }) {
  if (bodyBase64 === undefined) return new TextEncoder().encode(body);
  try {
    return Uint8Array.from(atob(bodyBase64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** An example that goes well, if there is one. */
function firstOffer(row) {
  const examples = [...row.querySelectorAll('.example')];
  const good = examples.find((example) => example.querySelector('.status')?.textContent === '200');
  return (good ?? examples[0])?.querySelector('[data-request]');
}

/** The first thing the form offers should work as it stands, so it comes without what a page cannot send. */
function sendable({ headers = [], ...request }) {
  const isKept = (index) => !isForbidden(headers[index - (index % 2)]);
  return { ...request, headers: headers.filter((_, index) => isKept(index)) };
}

function withFlatHeaders(request) {
  return { ...request, headers: request.headers.flat() };
}
