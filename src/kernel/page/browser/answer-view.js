import { ArrivingBody } from './arriving-body.js';
import { amount, element, note } from './elements.js';

/** Shows an answer while it arrives, and says plainly when it does not. */
export class AnswerView {
  #root;
  #imageUrl;

  constructor(root) {
    this.#root = root;
  }

  refuse(reason) {
    this.#root.replaceChildren(note(reason, 'problem'));
  }

  /** Never throws: whatever goes wrong is part of the answer. */
  async show({ notes, respond }) {
    const startedAt = performance.now();
    URL.revokeObjectURL(this.#imageUrl);
    this.#root.replaceChildren(note('Waiting for the answer …'));
    let response;
    try {
      response = await respond();
    } catch (error) {
      this.#root.replaceChildren(
        ...notes.map((text) => note(text)),
        note(failureText(error, startedAt), 'problem'),
      );
      return;
    }
    const headMs = performance.now() - startedAt;
    const facts = element('p', 'facts-of-answer');
    const content = element('div', 'content');
    this.#root.replaceChildren(
      ...[...notes, ...notesOn(response)].map((text) => note(text)),
      statusLine(response),
      facts,
      headerTable(response.headers),
      content,
    );
    const body = new ArrivingBody(response);
    let problem;
    try {
      for await (const _ of body.pieces()) {
        facts.textContent = `head after ${duration(headMs)}, ${amount(body.length)} so far`;
        content.replaceChildren(...body.render());
      }
    } catch (error) {
      problem = `${failureText(error, startedAt)} It had handed over ${amount(body.length)} of the body.`;
    }
    const totalMs = performance.now() - startedAt;
    facts.textContent = `head after ${duration(headMs)}, all after ${duration(totalMs)}, ${amount(body.length)}`;
    content.replaceChildren(
      ...body.render({ isWhole: problem === undefined, keepUrl: (url) => this.#keep(url) }),
    );
    if (problem) content.before(note(problem, 'problem'));
  }

  #keep(url) {
    this.#imageUrl = url;
  }
}

function statusLine({ status, statusText, type }) {
  const line = element('p', 'status-line');
  const badge = element('span', 'status', type === 'opaqueredirect' ? 'redirect' : String(status));
  badge.dataset.class = type === 'opaqueredirect' ? '3' : String(status)[0];
  line.append(badge, ` ${statusText}`);
  return line;
}

function notesOn(response) {
  const notes = [];
  if (response.redirected) notes.push(`Redirected to ${response.url}.`);
  if (response.type === 'opaqueredirect')
    notes.push('The answer is a redirect, of which the browser shows nothing.');
  return notes;
}

function headerTable(headers) {
  const details = element('details', 'answer-headers');
  details.open = true;
  const list = element('dl');
  for (const [name, value] of headers) list.append(element('dt', '', name), element('dd', '', value));
  details.append(element('summary', 'fold', `Headers (${[...headers].length})`), list);
  return details;
}

function failureText(error, startedAt) {
  const after = duration(performance.now() - startedAt);
  if (error.name === 'AbortError') return `Stopped after ${after}.`;
  return `The browser could not complete the response (${error.message}, after ${after}). Where a fault was asked for, that is the answer; the curl line shows it on the wire.`;
}

function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
