import type { Random } from '../lib/random.ts'

/** Texts that often break parsers, encoders or SQL statements. */
export const HOSTILE_TEXTS: readonly string[] = [
  "'",
  '"',
  '`',
  '\\',
  "\\'",
  "''",
  "'; DROP TABLE traces; --",
  "' OR '1'='1",
  "') OR 1=1 --",
  "x' UNION ALL SELECT * FROM steps FORMAT JSON --",
  '{p:String}',
  '?',
  '$1',
  ':id',
  '%s%n',
  '%',
  '_',
  '--',
  '/* */',
  '#',
  ';',
  '(',
  ')',
  '[]',
  '{}',
  ',',
  '=',
  '<script>alert(1)</script>',
  '&amp;',
  '\n',
  '\r\n',
  '\t',
  '\b\f',
  '\u0001\u001f\u007f',
  '\u0085\u2028\u2029',
  '\u200b\u202e\ufeff',
  '\ufffd\uffff',
  '😀👩‍👩‍👧‍👦',
  'e\u0301\u0301\u0301',
  'ß İ ı ǆ',
  '漢字 עברית',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  'NaN',
  '../../etc/passwd',
  'file:///etc/passwd',
  'tr_00000000000000000000000000',
  'data: x\n\nid: 9\nevent: gap',
  ' ',
  ' a ',
  'a'.repeat(999),
  '\\u0000',
  '\\N',
  '\\x41',
  "\\\\'",
]

/** Not valid in every field: a body with one may be refused, but never stored changed. */
export const BROKEN_TEXTS: readonly string[] = ['\0', 'a\0b', '\ud800', '\udfff', 'x\ud83d', '', 'a'.repeat(1001)]

export function hostileText(random: Random): string {
  const dice = random.next()
  if (dice < 0.06) return random.pick(BROKEN_TEXTS)
  if (dice < 0.75) return random.pick(HOSTILE_TEXTS)
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(HOSTILE_TEXTS))
    .join(random.pick(['', ' ']))
    .slice(0, 900)
    .toWellFormed()
}

/** One of the encodings of the same text in JSON. */
export function quoted(random: Random, text: string): string {
  const plain = JSON.stringify(text)
  const dice = random.next()
  if (dice < 0.7) return plain
  if (dice < 0.85) return plain.replaceAll('/', '\\/')
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  const digits = (unit: number) => unit.toString(16).padStart(4, '0')
  return `"${units.map((unit) => `\\u${random.chance(0.5) ? digits(unit) : digits(unit).toUpperCase()}`).join('')}"`
}

/** Number literals that change when they are parsed and serialized, or that only some parsers accept. */
const NUMBERS: readonly string[] = [
  '0',
  '-0',
  '-0.0',
  '1.0',
  '1E5',
  '1e+5',
  '100e-2',
  '0.1e-7',
  '12345678901234567890',
  '9007199254740993',
  '-9223372036854775809',
  '3.141592653589793238462643383279',
  '1e308',
  '1e400',
  '-1e400',
  '1e-400',
  '5e-324',
]
const BROKEN_NUMBERS: readonly string[] = ['01', '1.', '.5', '+1', '0x10', 'NaN', 'Infinity', '1e', '-', '1_000']

/** Any JSON value as text, sometimes invalid. */
export function anyJson(random: Random, depth = 0): string {
  const dice = random.next()
  if (dice < 0.35 || depth > 4) return quoted(random, hostileText(random))
  if (dice < 0.6) return random.pick(NUMBERS)
  if (dice < 0.62) return random.pick(BROKEN_NUMBERS)
  if (dice < 0.75) return random.pick(['null', 'true', 'false', '{}', '[]'])
  const count = random.below(4)
  const blank = random.pick(['', ' ', '\t', ' \r'])
  const elements = Array.from({ length: count }, () => anyJson(random, depth + 1))
  if (dice < 0.87) return `[${elements.join(`${blank},`)}]`
  return `{${elements.map((element) => `${quoted(random, hostileText(random))}${blank}:${element}`).join(`,${blank}`)}}`
}
