import type { ReportedCall } from '../../log-index/log-index-caller.ts';
import type { OperatorConsole } from './operator-console.ts';

/** Echoes every call as the command that would make it. The password never comes here: it is `<user>:****`. */
export function callEcho(console: OperatorConsole): (call: ReportedCall) => void {
  let last = '';
  return (call) => {
    const text = callText(call);
    // Looking again and again how far a run is says nothing new.
    if (text === last) return;
    last = text;
    console.err(`>> ${text}\n`);
  };
}

/** spec 2 §4.6 rule 11. */
export function callText({ method, url, user, headers, body, isInsecure }: ReportedCall): string {
  const words = ['curl', '-X', method];
  if (isInsecure && url.startsWith('https:')) words.push('--insecure');
  if (user !== undefined) words.push('-u', quoted(`${user}:****`));
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] !== 'Accept') words.push('-H', quoted(`${headers[at]}: ${headers[at + 1]}`));
  }
  if (body !== undefined) words.push('-d', quoted(body));
  return [...words, quoted(url)].join(' ');
}

/** As a shell takes it; a word that needs no quotes has none. */
function quoted(word: string): string {
  return /^[\w@%+=:,./*-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
