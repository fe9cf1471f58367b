/** What stands in examples where a token belongs. */
const PLACEHOLDER = '<ACCESS_TOKEN>';

/** The token that the reader sent last. It lives as long as the page, and nowhere else. */
let given = PLACEHOLDER;

/** Remembers the token of a request, so that it has to be typed only once. */
export function keepToken({ headers }) {
  for (const [name, value] of headers) {
    const token = name.toLowerCase() === 'authorization' && /^Bearer (\S+)$/.exec(value)?.[1];
    if (token) given = token;
  }
}

/** The request of an example, with the token in its place. */
export function withToken({ headers = [], ...request }) {
  return { ...request, headers: headers.map((text) => text.replace(PLACEHOLDER, () => given)) };
}
