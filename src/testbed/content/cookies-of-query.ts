import type { QueryPairs } from '../../kernel/catalogue/query.ts';
import { fault } from '../../kernel/faults.ts';
import type { CookieAttributes } from './cookies.ts';

// The dialect and the control overlay; `__Host-` and `__Secure-` are prefixes that cookies really have.
const STEERING = /^(?:dialect$|__(?!host-|secure-))/i;

/** The cookies a query names. `attr[…]` parameters are attributes of all of them; what steers the answer is neither. */
export function cookiesOfQuery(pairs: QueryPairs): {
  cookies: QueryPairs;
  attributes: CookieAttributes;
} {
  const cookies: Array<readonly [string, string]> = [];
  const attributes: Array<readonly [string, string]> = [];
  for (const [name, value] of pairs) {
    const attribute = /^attr\[(.+)\]$/i.exec(name)?.[1];
    if (attribute !== undefined) attributes.push([attribute.toLowerCase(), value]);
    else if (!STEERING.test(name)) cookies.push([name, value]);
  }
  return { cookies, attributes: attributesOf(attributes) };
}

const isSwitchedOn = (value: string) => !/^(?:false|0|no)$/i.test(value);

function attributesOf(attributes: ReadonlyArray<readonly [string, string]>): CookieAttributes {
  const found: { -readonly [Name in keyof CookieAttributes]: CookieAttributes[Name] } = {};
  for (const [name, value] of attributes) {
    switch (name) {
      case 'path':
      case 'domain':
      case 'expires':
        found[name] = value;
        break;
      case 'samesite':
        found.sameSite = value;
        break;
      case 'max-age':
        found.maxAge = Number(value);
        if (!Number.isInteger(found.maxAge)) {
          throw fault('parameter.invalid', {
            in: 'query',
            name: 'attr[Max-Age]',
            rule: 'must be an integer',
          });
        }
        break;
      case 'secure':
      case 'partitioned':
        found[name] = isSwitchedOn(value);
        break;
      case 'httponly':
        found.httpOnly = isSwitchedOn(value);
        break;
      default:
        throw fault('parameter.invalid', {
          in: 'query',
          name: `attr[${name}]`,
          rule: 'is no attribute of a cookie',
        });
    }
  }
  return found;
}
