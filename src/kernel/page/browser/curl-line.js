/**
 * A request as a line for a shell that shows its whole answer. The page renders its examples with this on the server,
 * and the form for trying things out uses the very same file in the browser.
 */
export function curlLine({ method, target, headers, body, bodyBase64 }, baseUrl) {
  const fields = pairsOf(headers);
  if (fields.some(([name]) => name.toLowerCase() === 'transfer-encoding')) {
    return handFramedLine({ method, target, fields, body }, baseUrl);
  }
  const hasBody = body !== undefined || bodyBase64 !== undefined;
  const words = ['curl', ...methodWords(method, hasBody), ...targetWords(target, baseUrl)];
  for (const [name, value] of fields.filter(isNotCurlsOwn)) {
    words.push('-H', quotedBytes(value === '' ? `${name};` : `${name}: ${value}`));
  }
  // curl would call any data a form.
  if (hasBody && !fields.some(([name]) => name.toLowerCase() === 'content-type'))
    words.push('-H', "'Content-Type:'");
  if (bodyBase64 !== undefined) {
    return `echo ${bodyBase64} | base64 -d | ${[...words, '--data-binary', '@-'].join(' ')}`;
  }
  if (body !== undefined) words.push('--data-raw', quotedText(body));
  return words.join(' ');
}

function pairsOf(list = []) {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1]]] : []));
}

/** The length of the data is curl's to count, and when to close is the reader's business. */
function isNotCurlsOwn([name, value]) {
  const lowerName = name.toLowerCase();
  return !(lowerName === 'connection' && value === 'close') && lowerName !== 'content-length';
}

function methodWords(method, hasBody) {
  if (method === 'HEAD') return ['-I'];
  const impliedMethod = hasBody ? 'POST' : 'GET';
  return method === impliedMethod ? ['-i'] : ['-i', '-X', method];
}

/** Targets that curl would tidy up, or not take as an address, are handed over as they stand. */
function targetWords(target, baseUrl) {
  if (!/^\/[\w\-.~:/?@!$&'()*+,;=%]*$/.test(target)) {
    return ['--request-target', quotedBytes(target), quotedBytes(`${baseUrl}/`)];
  }
  const hasDotSegment = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i.test(target);
  return [...(hasDotSegment ? ['--path-as-is'] : []), quotedBytes(baseUrl + target)];
}

/** curl frames bodies itself. What an example frames by hand goes to the port as it stands. */
function handFramedLine({ method, target, fields, body = '' }, baseUrl) {
  const { protocol, hostname, host, port } = new URL(baseUrl);
  const names = new Set(fields.map(([name]) => name.toLowerCase()));
  const lines = [`${method} ${target} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  if (!names.has('host')) lines.push(`Host: ${host}`);
  if (!names.has('connection')) lines.push('Connection: close');
  const isTls = protocol === 'https:';
  const address = `${hostname}:${port || (isTls ? 443 : 80)}`;
  const pipe = isTls ? `openssl s_client -quiet -connect ${address}` : `curl -sN telnet://${address}`;
  return `printf '${printfFormat(`${lines.join('\r\n')}\r\n\r\n${body}`)}' | ${pipe}`;
}

function printfFormat(text) {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n')
    .replaceAll("'", "'\\''");
}

/** One character is one byte; what is no printable ASCII is spelled out. */
function quotedBytes(text) {
  return quoted(text, /[^\x20-\x7e]/g);
}

/** Text in UTF-8, as the terminal sends it. */
function quotedText(text) {
  return quoted(text, /[\x00-\x1f\x7f]/g);
}

const SHORT_ESCAPES = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** In plain quotes where they will do, else in those that know escapes. */
function quoted(text, special) {
  if (text.search(special) < 0) return `'${text.replaceAll("'", "'\\''")}'`;
  const spelledOut = text
    .replace(/[\\']/g, '\\$&')
    .replace(
      special,
      (character) =>
        SHORT_ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  return `$'${spelledOut}'`;
}
