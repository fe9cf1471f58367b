import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Material } from '../material.ts';
import { completeMaterial } from '../material-store.ts';
import { placeOf } from '../place.ts';

const place = placeOf({ port: 0, tlsNames: [] });
let made: Promise<Material> | undefined;

/** Keys and certificates for tests: made by whichever process needs them first, then found by all of them. */
export function testMaterial(): Promise<Material> {
  made ??= completeMaterial(join(tmpdir(), `gatehouse-test-pki-${process.getuid?.() ?? 0}`), {
    place,
    nowMs: Date.now(),
  }).then((data) => new Material(data, place));
  return made;
}
