import { palette, type Shape, shapes } from './artwork.ts';

/** The house picture as SVG. */
export function svgImage(width: number, height: number): string {
  const lines = shapes.map((shape) => `  ${element(shape, width, height)}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '  <title>A gatehouse at dusk</title>',
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function element(shape: Shape, width: number, height: number): string {
  const [red, green, blue] = palette[shape.colour]!;
  const fill = `fill="rgb(${red},${green},${blue})"`;
  if (shape.kind === 'disc') {
    const radius = shape.radius * Math.min(width, height);
    return `<circle cx="${short(shape.x * width)}" cy="${short(shape.y * height)}" r="${short(radius)}" ${fill}/>`;
  }
  const { left, top, right, bottom } = shape;
  return (
    `<rect x="${short(left * width)}" y="${short(top * height)}" ` +
    `width="${short((right - left) * width)}" height="${short((bottom - top) * height)}" ${fill}/>`
  );
}

const short = (value: number) => Number(value.toFixed(2));
