/**
 * The house picture of the test service: a gatehouse at dusk. It is data, so that every format is drawn from the
 * same shapes; all coordinates are parts of the width and the height.
 */
export type Shape =
  | {
      readonly kind: 'box';
      readonly colour: number;
      readonly left: number;
      readonly top: number;
      readonly right: number;
      readonly bottom: number;
    }
  | {
      readonly kind: 'disc';
      readonly colour: number;
      readonly x: number;
      readonly y: number;
      readonly radius: number;
    };

/** Sixteen colours at most, so that four bits hold one. */
export const palette: readonly (readonly [red: number, green: number, blue: number])[] = [
  [24, 28, 58],
  [52, 48, 92],
  [108, 74, 118],
  [188, 106, 112],
  [240, 160, 104],
  [252, 236, 196],
  [58, 62, 78],
  [84, 90, 108],
  [18, 18, 26],
  [255, 206, 92],
  [36, 54, 46],
];

const stone = 6;
const litStone = 7;
const dark = 8;
const lamp = 9;

const box = (colour: number, left: number, top: number, right: number, bottom: number): Shape => ({
  kind: 'box',
  colour,
  left,
  top,
  right,
  bottom,
});
const disc = (colour: number, x: number, y: number, radius: number): Shape => ({
  kind: 'disc',
  colour,
  x,
  y,
  radius,
});

/** In the order they are painted. */
export const shapes: readonly Shape[] = [
  box(0, 0, 0, 1, 0.2),
  box(1, 0, 0.2, 1, 0.4),
  box(2, 0, 0.4, 1, 0.58),
  box(3, 0, 0.58, 1, 0.74),
  box(4, 0, 0.74, 1, 0.9),
  disc(5, 0.8, 0.16, 0.07),
  box(10, 0, 0.88, 1, 1),
  ...tower(0.14),
  ...tower(0.66),
  ...battlement(stone, 0.34, 0.66, 0.4),
  box(stone, 0.34, 0.45, 0.66, 0.9),
  disc(dark, 0.5, 0.66, 0.1),
  box(dark, 0.4, 0.66, 0.6, 0.9),
  ...[0.44, 0.48, 0.52, 0.56].map((x) => box(litStone, x - 0.006, 0.6, x + 0.006, 0.78)),
  disc(lamp, 0.5, 0.52, 0.018),
];

function tower(left: number): Shape[] {
  return [
    ...battlement(litStone, left, left + 0.2, 0.26),
    box(litStone, left, 0.31, left + 0.2, 0.9),
    box(lamp, left + 0.085, 0.42, left + 0.115, 0.52),
  ];
}

function battlement(colour: number, left: number, right: number, top: number): Shape[] {
  const merlons = 4;
  const step = (right - left) / (2 * merlons - 1);
  return Array.from({ length: merlons }, (_, index) =>
    box(colour, left + 2 * index * step, top, left + (2 * index + 1) * step, top + 0.05),
  );
}

/** The picture as palette indices, row by row. */
export function paint(width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height);
  const fillRow = (y: number, from: number, to: number, colour: number) => {
    const start = Math.max(Math.round(from), 0);
    const end = Math.min(Math.round(to), width);
    if (start < end) pixels.fill(colour, y * width + start, y * width + end);
  };
  for (const shape of shapes) {
    if (shape.kind === 'box') {
      const bottom = Math.round(shape.bottom * height);
      for (let y = Math.round(shape.top * height); y < bottom; y++) {
        fillRow(y, shape.left * width, shape.right * width, shape.colour);
      }
      continue;
    }
    // Discs keep round on pictures that are not square.
    const radius = shape.radius * Math.min(width, height);
    const centreY = shape.y * height;
    const bottom = Math.min(Math.ceil(centreY + radius), height);
    for (let y = Math.max(Math.floor(centreY - radius), 0); y < bottom; y++) {
      const halfChord = Math.sqrt(Math.max(radius ** 2 - (y + 0.5 - centreY) ** 2, 0));
      fillRow(y, shape.x * width - halfChord, shape.x * width + halfChord, shape.colour);
    }
  }
  return pixels;
}
