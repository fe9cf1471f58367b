/** The bytes cut short at many places, and with single bits turned: what a reader must survive. */
export function* damaged(whole: Buffer, step = 1): Generator<Buffer> {
  for (let length = 0; length < whole.length; length += step) yield whole.subarray(0, length);
  for (let at = 0; at < whole.length; at += step) {
    for (const bit of [0x01, 0x20, 0x80]) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= bit;
      yield bytes;
    }
  }
}
