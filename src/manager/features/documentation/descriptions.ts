import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { buildOpenApi } from '../../../kernel/catalogue/openapi.ts';
import type { Documented } from '../../../kernel/catalogue/operations.ts';
import { version } from '../../../kernel/version.ts';

/** A text that is served often: made once, with its compressed form and its entity tag. */
export interface ServedText {
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

/** The descriptions of the management API, made from its catalogue when first asked for. */
export interface Descriptions {
  openApi(): ServedText;
}

export interface DescriptionsOptions {
  readonly groups: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly catalogue: () => readonly Documented[];
}

export function createDescriptions({ groups, catalogue }: DescriptionsOptions): Descriptions {
  let openApi: ServedText | undefined;
  return {
    openApi() {
      openApi ??= servedText(
        `${JSON.stringify(
          buildOpenApi({
            title: 'Gateway Management API',
            version,
            description:
              'Manages projects, environments, secrets, users and settings of the gateway platform.',
            tags: groups,
            endpoints: catalogue(),
          }),
          null,
          2,
        )}\n`,
      );
      return openApi;
    },
  };
}

export function servedText(text: string): ServedText {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { bytes, gzipped: gzipSync(bytes), etag: `"${digest}"` };
}
