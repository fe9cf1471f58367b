import { ia5String, oid, printableString, sequence, setOf, utf8String } from './der-writer.ts';
import { oids } from './object-identifiers.ts';

/** The parts of a name, the most general one first: `[['C', 'TR'], ['O', 'Example'], ['CN', 'Root']]`. */
export type DistinguishedName = ReadonlyArray<readonly [type: NameType, value: string]>;

const nameTypes = {
  C: oids.countryName,
  ST: oids.stateOrProvinceName,
  L: oids.localityName,
  O: oids.organizationName,
  OU: oids.organizationalUnitName,
  CN: oids.commonName,
  DC: oids.domainComponent,
  UID: oids.userId,
  serialNumber: oids.serialNumber,
  emailAddress: oids.emailAddress,
} as const;

type NameType = keyof typeof nameTypes;

/** An empty name is an empty SEQUENCE. */
export function nameDer(name: DistinguishedName): Buffer {
  return sequence(...name.map(([type, value]) => setOf(sequence(oid(nameTypes[type]), text(type, value)))));
}

/** RFC 5280, appendix A: a few types have a string type of their own. */
function text(type: NameType, value: string): Buffer {
  if (type === 'C' || type === 'serialNumber') return printableString(value);
  return type === 'DC' || type === 'emailAddress' ? ia5String(value) : utf8String(value);
}
