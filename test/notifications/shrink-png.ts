import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const MAX_COLOURS = 256;

/**
 * The same picture in a fraction of the bytes. What browsers save has 16 million colours and is packed in haste; a page of text
 * has a few hundred, of which the rarest give way to the nearest others.
 */
export function shrinkPng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const { palette, indexOf } = paletteOf(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (width + 1) + 1 + x] = indexOf.get(pixels[y * width + x] ?? 0) ?? 0;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const parts = [chunk('IHDR', head), chunk('PLTE', colours), chunk('IDAT', deflateSync(rows, { level: 9 }))];
  return Buffer.concat([SIGNATURE, ...parts, chunk('IEND', Buffer.alloc(0))]);
}

interface Picture {
  width: number;
  height: number;
  /** `0xrrggbb` of each, row by row. */
  pixels: Uint32Array;
}

/** Of 8 bits for each of red, green and blue, with or without alpha: what Chromium writes. */
function decode(png: Buffer): Picture {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('not a PNG');
  const data: Buffer[] = [];
  let [width, height, channels] = [0, 0, 3];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      const [bits, colours, , , interlaced] = body.subarray(8);
      if (bits !== 8 || (colours !== 2 && colours !== 6) || interlaced !== 0) throw new Error('not a PNG of Chromium');
      channels = colours === 6 ? 4 : 3;
    }
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  return { width, height, pixels: unfilter(inflateSync(Buffer.concat(data)), width, height, channels) };
}

function unfilter(raw: Buffer, width: number, height: number, channels: number): Uint32Array {
  const stride = width * channels;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const filter = raw[start] ?? 0;
    const line = new Uint8Array(stride);
    for (let x = 0; x < stride; x++) {
      const left = line[x - channels] ?? 0;
      const up = above[x] ?? 0;
      const corner = x < channels ? 0 : (above[x - channels] ?? 0);
      line[x] = (raw[start + 1 + x] ?? 0) + predict(filter, left, up, corner);
    }
    for (let x = 0; x < width; x++) {
      const [red = 0, green = 0, blue = 0] = line.subarray(x * channels, x * channels + 3);
      pixels[y * width + x] = (red << 16) | (green << 8) | blue;
    }
    above = line;
  }
  return pixels;
}

function predict(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      return 0;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((one) => Math.abs(guess - one)) as [number, number, number];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function paletteOf(pixels: Uint32Array): { palette: number[]; indexOf: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const palette = byCount.slice(0, MAX_COLOURS);
  return {
    palette,
    indexOf: new Map(byCount.map((colour, index) => [colour, index < MAX_COLOURS ? index : nearest(colour, palette)])),
  };
}

function nearest(colour: number, palette: number[]): number {
  const distances = palette.map((other) =>
    [16, 8, 0].reduce((sum, shift) => sum + (((colour >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
