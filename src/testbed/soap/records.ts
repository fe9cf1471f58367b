import { type XmlElement, xmlElement } from '../content/xml.ts';
import { type Operations, responseElement } from './operation.ts';
import { SoapFault } from './soap-fault.ts';
import { childText } from './soap-message.ts';

interface CustomerRecord {
  readonly id: number;
  readonly name: string;
  readonly city: string;
  /** In hundredths, so that it is exact. */
  readonly balanceCents: number;
  readonly isActive: boolean;
  readonly since: string;
  readonly note: string | undefined;
}

const names = ['Ayşe Yılmaz', 'Jürgen Groß', 'Zoë Brontë', 'Łukasz Żak', '山田 花子'];
const cities = ['İstanbul', 'Köln', 'Málaga', 'Łódź', '東京'];
const RECORD_COUNT = 25;
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.UTC(2020, 0, 1);
const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 10;

/** The same 25 records always: text beyond ASCII, decimals, dates, flags, and notes that are nil. */
const records: readonly CustomerRecord[] = Array.from({ length: RECORD_COUNT }, (_, index) => ({
  id: index + 1,
  name: names[index % names.length]!,
  city: cities[(index * 2) % cities.length]!,
  balanceCents: (index - 5) * 1234,
  isActive: index % 3 !== 0,
  since: new Date(FIRST_DAY_MS + index * 30 * DAY_MS).toISOString(),
  note: index % 4 === 0 ? undefined : `Note <${index + 1}> & more`,
}));

export const recordOperations: Operations = {
  ListRecords: (request) => {
    const page = countOf(request, 'page', 1, Number.MAX_SAFE_INTEGER);
    const pageSize = countOf(request, 'pageSize', DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
    const shown = records.slice((page - 1) * pageSize, page * pageSize);
    return [
      xmlElement('total', [String(records.length)]),
      ...shown.map(({ id, name, city }) =>
        xmlElement('record', [
          xmlElement('id', [String(id)]),
          xmlElement('name', [name]),
          xmlElement('city', [city]),
        ]),
      ),
    ];
  },
  GetRecord: (request) => {
    const id = countOf(request, 'id', undefined, Number.MAX_SAFE_INTEGER);
    const record = records.find((one) => one.id === id);
    if (!record) {
      const message = `There is no record ${id}.`;
      throw new SoapFault('Sender', message, {
        detail: [responseElement('RecordNotFound', [xmlElement('id', [String(id)])])],
      });
    }
    return [xmlElement('record', detailOf(record))];
  },
};

function detailOf(record: CustomerRecord): XmlElement[] {
  const { id, name, city, balanceCents, isActive, since, note } = record;
  return [
    xmlElement('id', [String(id)]),
    xmlElement('name', [name]),
    xmlElement('city', [city]),
    xmlElement('balance', [(balanceCents / 100).toFixed(2)]),
    xmlElement('active', [String(isActive)]),
    xmlElement('since', [since]),
    note === undefined
      ? xmlElement('note', [], {
          'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
          'xsi:nil': 'true',
        })
      : xmlElement('note', [note]),
  ];
}

/** A whole number from 1; one that may be left out has a default. */
function countOf(request: XmlElement, name: string, ifAbsent: number | undefined, maximum: number): number {
  const text = childText(request, name)?.trim();
  const value = text === undefined ? ifAbsent : /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (value === undefined || value < 1 || value > maximum)
    throw new SoapFault('Sender', `${request.localName} needs ${name}, a whole number from 1 to ${maximum}.`);
  return value;
}
