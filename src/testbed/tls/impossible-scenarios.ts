/** What this platform cannot serve, and why. */
export const impossibleScenarios = [
  { id: 'ssl-v2', reason: 'OpenSSL 3 has no SSL 2.0.' },
  { id: 'ssl-v3', reason: 'OpenSSL 3 as Node builds it has no SSL 3.0.' },
  { id: 'rc4', reason: 'No RC4 suite is compiled in.' },
  { id: '3des', reason: 'No 3DES suite is compiled in.' },
  { id: 'export', reason: 'EXPORT suites were removed from OpenSSL.' },
  { id: 'seed-idea', reason: 'Neither SEED nor IDEA suites are compiled in.' },
  { id: 'dh480-dh512', reason: 'Node refuses Diffie-Hellman groups below 1024 bits.' },
  { id: 'ev', reason: 'Clients treat no private authority as extended validation.' },
  { id: 'sct', reason: 'Certificate transparency needs public logs; only its absence can be shown.' },
] as const;
