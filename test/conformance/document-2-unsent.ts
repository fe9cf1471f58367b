import type { Proof, Statement } from './document-2.ts';

const by = (file: string, ...tests: readonly string[]): Proof[] => tests.map((test) => ({ file, test }));

const records = 'src/store/unsent/unsent-records.suite.ts';
const address = 'src/store/unsent/mongo-address.test.ts';
const content = 'src/unsent/prepared-record.test.ts';
const delivery = 'src/unsent/bulk-delivery.test.ts';
const cutOff = 'src/unsent/replay.test.ts';
const suite = 'src/maintenance/unsent-replay/replay-unsent.suite.ts';
const command = 'src/maintenance/unsent-replay/replay-unsent.test.ts';
const engines = 'test/engines/unsent.test.ts';

/** The unsent record, and every step of its replay. */
export const unsentStatements: readonly Statement[] = [
  {
    section: '§2.5',
    says: 'an unsent record has _id and content; content is JSON text holding aci',
    provenBy: [
      ...by(records, 'gives back what was put aside, byte for byte and in order'),
      ...by(engines, 'ours are flat, as other tools know them'),
      ...by(content, 'a record that no index takes is refused: '),
    ],
  },
  {
    section: '§4.7',
    says: 'the collection is named UnsentMessage or log_UnsentMessage, by platform version',
    provenBy: [
      ...by(records, 'may be written to, and says which collections there are'),
      ...by(
        suite,
        'finds the collection by either name; where there are both the operator chooses',
        'without an unsent collection there is nothing to do',
      ),
    ],
  },
  {
    section: '§4.7 1',
    says: 'run on the database primary',
    provenBy: by(command, 'refuses a node that is not the primary, '),
  },
  {
    section: '§4.7 1',
    says: 'it needs access to the index engine port 9200; the JSON-parsing helper is part of it and cannot be missing',
    provenBy: [
      ...by(suite, 'one line and the right exit code, nothing changed: '),
      ...by(
        command,
        'its help names every setting by flag and variable, the order of work, and the exit codes',
      ),
    ],
  },
  {
    section: '§4.7 1',
    says: 'the database listens on port 25080',
    provenBy: by(address, 'the database listens on port 25080 unless its address says otherwise: '),
  },
  {
    section: '§4.7 1',
    says: 'back up the database excluding the unsent collections first',
    provenBy: by(suite, 'only yes goes on; anything else cancels and changes nothing'),
  },
  {
    section: '§4.7 2',
    says: 'pre-check: collection name, document count, storage size; aci of the first and last record in all environments over a wide time range',
    provenBy: by(
      suite,
      'the pre-check looks for the first and the last record in the streams of all environments',
    ),
  },
  {
    section: '§4.7 3',
    says: 'test run first: TEST_SIZE 150 records',
    provenBy: [
      ...by(suite, 'a test run ends after TEST_SIZE records and writes down which they were'),
      ...by(
        command,
        'its help names every setting by flag and variable, the order of work, and the exit codes',
      ),
    ],
  },
  {
    section: '§4.7 4',
    says: 'production run: BATCH_SIZE 1000 per pass; TOTAL_BATCHES equals document count divided by 1000, rounded up',
    provenBy: [
      ...by(
        suite,
        'sends every record, deletes what arrived, and tells of each pass',
        'SKIP and TOTAL_BATCHES choose from the set as it was at the start',
      ),
      ...by(
        command,
        'its help names every setting by flag and variable, the order of work, and the exit codes',
      ),
    ],
  },
  {
    section: '§4.7 5',
    says: 'the content of each record is posted to the target data stream as a document',
    provenBy: [
      ...by(suite, 'content arrives byte for byte'),
      ...by(content, 'content goes out byte for byte: '),
    ],
  },
  {
    section: '§4.7 5',
    says: 'a record is deleted when _shards.successful says that it was indexed; without replicas that is 1',
    provenBy: [
      ...by(delivery, 'a record is delivered when a shard has it and none failed, with replicas too'),
      ...by(cutOff, 'any of its steps is gone on with: nothing is lost, nothing is there twice'),
    ],
  },
  {
    section: '§4.7 5',
    says: 'otherwise the id is kept and excluded from later reads of the run',
    provenBy: [
      ...by(
        suite,
        'records that cannot be sent stay, with their reasons in the reject file; all others arrive',
      ),
      ...by(records, 'reads windows: behind one, up to another, so many, so many bytes'),
    ],
  },
  {
    section: '§4.7 6',
    says: 'progress shows as deletedCount 1000 lines',
    provenBy: by(suite, 'sends every record, deletes what arrived, and tells of each pass'),
  },
  {
    section: '§4.7 6',
    says: 'BATCH_SIZE can be lowered where memory is short; no record is too long for an argument list, because nothing is an argument',
    provenBy: by(
      suite,
      'batches are bounded by bytes too',
      'killed again and again it loses nothing and duplicates nothing',
    ),
  },
  {
    section: '§4.7 6',
    says: 'oversized records are skipped with a skip offset',
    provenBy: by(
      suite,
      'SKIP and TOTAL_BATCHES choose from the set as it was at the start',
      'records that cannot be sent stay, with their reasons in the reject file; all others arrive',
    ),
  },
  {
    section: '§4.7 7',
    says: 'afterwards run compact, preferably on a secondary node; on a single node the collection is locked during compact',
    provenBy: [
      ...by(suite, 'compact wants the collection empty, warns of what it locks, and tells what it gained'),
      ...by(
        'src/store/unsent/sqlite-unsent-records.test.ts',
        'compact gives the space of deleted records back to the disk',
      ),
    ],
  },
];
