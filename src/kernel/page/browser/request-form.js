/**
 * The form as a request and back. The target is what counts: fields write into it, and an example or a typed target
 * is read back into the fields.
 */
export class RequestForm {
  #form;
  /** The body of an example as it is, beside the text the form shows for it: a text area knows no CR LF. */
  #exact = { shown: '', body: undefined, bodyBase64: undefined };

  constructor(form) {
    this.#form = form;
  }

  /** What would be sent: method, target, header pairs, and body bytes or undefined. */
  read() {
    const { method, target } = this.#form.elements;
    return {
      method: method.value.trim(),
      target: target.value.trim(),
      headers: [...this.#fieldHeaders(), ...this.#furtherHeaders()],
      ...this.#readBody(),
    };
  }

  fill({ method, target, headers = [], body, bodyBase64 }) {
    const { elements } = this.#form;
    elements.method.value = method;
    elements.target.value = asAddress(target);
    this.#fillHeaders(headers);
    if (elements.body) {
      elements.body.value = body ?? bodyBase64 ?? '';
      elements.isBase64.checked = bodyBase64 !== undefined;
      this.#exact = { shown: elements.body.value, body, bodyBase64 };
    }
    this.readTarget();
  }

  /** Fields → target. Query parameters that have no field stay. */
  writeTarget() {
    const { target } = this.#form.elements;
    const path = this.#form.dataset.path.replace(/\{([^}*]+)(\*\*)?\}|(\*\*)$/g, (_, name, rest, bare) => {
      const value = this.#field('path', name ?? bare).value;
      if (value === '') return bare ? '' : `{${name}}`;
      return rest || bare ? value.split('/').map(encoded).join('/') : encoded(value);
    });
    const pieces = this.#fields('query').flatMap(({ name, field }) =>
      field.value === '' ? [] : [`${encoded(name)}=${encoded(field.value)}`],
    );
    const query = [...pieces, ...this.#undeclaredPieces(target.value)].join('&');
    target.value = query === '' ? path : `${path}?${query}`;
  }

  /** Target → fields. A path of another shape leaves them as they are. */
  readTarget() {
    const [path, query = ''] = splitOnce(this.#form.elements.target.value, '?');
    const names = [];
    const pattern = this.#form.dataset.path
      .replace(/[.+?^$()|[\]\\]/g, '\\$&')
      .replace(/\{([^}*]+)(\*\*)?\}|(\*\*)$/g, (_, name, rest, bare) => {
        names.push(name ?? bare);
        return rest || bare ? '(.*)' : '([^/]+)';
      });
    const values = new RegExp(`^${pattern}$`).exec(path);
    if (values) {
      for (const [index, name] of names.entries())
        this.#field('path', name).value = decoded(values[index + 1]);
    }
    const pieces = query.split('&').map((piece) => splitOnce(piece, '='));
    for (const { name, field } of this.#fields('query')) {
      const piece = pieces.find(([written]) => decoded(written) === name);
      field.value = piece ? decoded(piece[1] ?? '') : '';
    }
  }

  #field(place, name) {
    return this.#form.elements.namedItem(`${place}:${name}`);
  }

  #fields(place) {
    return [...this.#form.elements]
      .filter(({ name }) => name.startsWith(`${place}:`))
      .map((field) => ({ name: field.name.slice(place.length + 1), field }));
  }

  #undeclaredPieces(target) {
    const declared = new Set(this.#fields('query').map(({ name }) => name));
    const [, query = ''] = splitOnce(target, '?');
    return query
      .split('&')
      .filter((piece) => piece !== '' && !declared.has(decoded(splitOnce(piece, '=')[0])));
  }

  #fieldHeaders() {
    return this.#fields('header').flatMap(({ name, field }) =>
      field.value === '' ? [] : [[name, field.value]],
    );
  }

  #furtherHeaders() {
    const lines = this.#form.elements.headers.value.split('\n').filter((line) => line.trim() !== '');
    return lines.map((line) => {
      const [name, value = ''] = splitOnce(line, ':');
      return [name.trim(), value.trim()];
    });
  }

  /** The first field of a declared name goes to its place, everything else to the lines below. */
  #fillHeaders(headers) {
    const lines = [];
    const fields = new Map(this.#fields('header').map(({ name, field }) => [name.toLowerCase(), field]));
    for (const field of fields.values()) field.value = '';
    for (let index = 0; index < headers.length; index += 2) {
      const [name, value] = [headers[index], headers[index + 1]];
      const field = fields.get(name.toLowerCase());
      if (name.toLowerCase() === 'connection' && value === 'close') continue;
      if (field && field.value === '') field.value = value;
      else lines.push(`${name}: ${value}`);
    }
    this.#form.elements.headers.value = lines.join('\n');
  }

  #readBody() {
    const { body: field, isBase64 } = this.#form.elements;
    if (!field || field.value === '') return {};
    if (isBase64.checked) return { bodyBase64: field.value.trim() };
    const isUnchanged = field.value === this.#exact.shown.replaceAll('\r\n', '\n');
    if (isUnchanged && this.#exact.body !== undefined) return { body: this.#exact.body };
    const isMultipart = /content-type:\s*multipart\//i.test(this.#form.elements.headers.value);
    return { body: isMultipart ? field.value.replaceAll('\n', '\r\n') : field.value };
  }
}

/** Targets of examples are bytes; an address spells what is no ASCII. */
function asAddress(target) {
  return target.replace(
    /[^\x21-\x7e]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

function splitOnce(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** Percent-encoded as far as needed; what reads better as it is stays. */
function encoded(text) {
  return encodeURIComponent(text).replace(/%(?:2C|3A|3B|40|24)/g, decodeURIComponent);
}

/** What is no UTF-8 stays spelled out. */
function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
