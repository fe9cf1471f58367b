import { embeddedImage } from '../content/images/embedded.ts';

/** The files that can always be downloaded, made by ourselves and the same on every day. */
const makers: Readonly<Record<string, () => Buffer>> = {
  'sample.jpg': () => embeddedImage('jpeg'),
  'sample.pdf': samplePdf,
  'sample.txt': sampleText,
  'sample.bin': sampleBinary,
};

export const sampleNames = Object.keys(makers);

export function sampleFile(name: string): Buffer | undefined {
  return Object.hasOwn(makers, name) ? makers[name]!() : undefined;
}

/** Every byte value, sixteen times: nothing on the way may look at it as text. */
function sampleBinary(): Buffer {
  return Buffer.from(Array.from({ length: 4096 }, (_, index) => index % 256));
}

function sampleText(): Buffer {
  const lines = [
    'A sample text in UTF-8.',
    'Türkçe: ş ı ğ ü ö ç İ Ş Ğ',
    'Ελληνικά, Русский, 日本語, 한국어, العربية',
    'Outside the basic plane: 𝄞 🚪',
    'The last line ends with a line feed.',
  ];
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** One page with one line, and a cross-reference table whose offsets are right. */
function samplePdf(): Buffer {
  const drawing = 'BT /F1 24 Tf 72 720 Td (A sample page) Tj ET';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
