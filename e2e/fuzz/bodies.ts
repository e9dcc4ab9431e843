import type { Random } from '../lib/random.ts'
import { anyJson, hostileText, quoted } from './hostile.ts'

type Member = readonly [name: string, value: string]

/** The text of a trace: mostly valid, with unusual values in its fields. */
export function oddTrace(random: Random): string {
  const members: Member[] = [['name', quoted(random, hostileText(random))]]
  maybe(random, members, 'run_type', () => slug(random))
  maybe(random, members, 'metadata', () => metadata(random))
  maybe(random, members, 'session_id', () => quoted(random, hostileText(random)))
  maybe(random, members, 'user_id', () => quoted(random, hostileText(random)))
  maybe(random, members, 'status', () => random.pick(['"ok"', '"error"']))
  times(random, members)
  maybe(random, members, 'steps', () => {
    const steps = Array.from({ length: random.below(4) }, () => oddStep(random))
    return `[${steps.join(',')}]`
  })
  return print(random, members)
}

/** The text of a step, without any line end. */
export function oddStep(random: Random): string {
  const members: Member[] = [['name', quoted(random, hostileText(random))]]
  maybe(random, members, 'type', () => slug(random))
  maybe(random, members, 'model', () => quoted(random, hostileText(random)))
  maybe(random, members, 'metadata', () => metadata(random))
  maybe(random, members, 'messages', () => {
    const messages = Array.from({ length: random.below(3) }, () => message(random))
    return `[${messages.join(',')}]`
  })
  maybe(random, members, 'token_usage', () => tokens(random))
  maybe(random, members, 'error', () =>
    print(random, [
      ['type', quoted(random, hostileText(random))],
      ['message', quoted(random, hostileText(random))],
    ]),
  )
  maybe(random, members, 'status', () => random.pick(['"ok"', '"error"', '"ok"', '"failed"']))
  if (random.chance(0.2)) members.push(['idempotency_key', quoted(random, `${random.word(8)}${hostileText(random)}`)])
  if (random.chance(0.1)) members.push(['id', quoted(random, `st_0${random.word(25).replaceAll(/[ilou]/g, '0')}`)])
  if (random.chance(0.05)) members.push(['parent_step_id', quoted(random, `st_0${'1'.repeat(25)}`)])
  if (random.chance(0.03)) members.push(['attachments', random.pick(['[]', '[{"uri":"media://x"}]', '[1]'])])
  times(random, members)
  return print(random, members)
}

function maybe(random: Random, members: Member[], name: string, value: () => string): void {
  if (random.chance(0.5)) members.push([name, random.chance(0.02) ? anyJson(random) : value()])
}

function slug(random: Random): string {
  return random.chance(0.04)
    ? quoted(random, hostileText(random))
    : `"${random.pick(['agent', 'a.b-c_D', 'llm', '0'])}"`
}

function metadata(random: Random): string {
  const count = random.chance(0.01) ? 300 : random.below(5)
  const members = Array.from({ length: count }, (_, index): Member => {
    const key = random.chance(0.5) ? hostileText(random).slice(0, 190) : `k${index}`
    return [key.toWellFormed(), anyJson(random)]
  })
  return print(random, members, 0)
}

function message(random: Random): string {
  const part = () =>
    print(
      random,
      [
        ['type', '"text"'],
        ['text', quoted(random, hostileText(random))],
        ...(random.chance(0.3) ? ([[random.word(4), anyJson(random)]] as Member[]) : []),
      ],
      0,
    )
  return print(
    random,
    [
      ['role', quoted(random, hostileText(random))],
      ['content', `[${Array.from({ length: random.below(3) }, part).join(',')}]`],
      ...(random.chance(0.3) ? ([[`x${random.word(4)}`, anyJson(random)]] as Member[]) : []),
    ],
    0,
  )
}

function tokens(random: Random): string {
  const count = () =>
    random.chance(0.08)
      ? random.pick(['-1', '1.5', '1e2', '9007199254740992', '1e400', '"1"', 'null', '-0'])
      : random.pick(['0', '1', '1.0', '250', '4294967296', '9007199254740991'])
  return print(random, [
    ['input', count()],
    ['output', count()],
    ...(random.chance(0.3) ? ([['cache_read', count()]] as Member[]) : []),
  ])
}

const TIMES = [
  '1970-01-01T00:00:00Z',
  '1970-01-01T00:00:00.001Z',
  '2026-02-28T23:59:60Z',
  '2026-01-31T12:00:00.123456789+05:30',
  '9999-12-31T23:59:59.999Z',
]
const BROKEN_TIMES = ['2026-02-30T00:00:00Z', '1969-12-31T23:59:59Z', '2026-01-31', '10000-01-01T00:00:00Z', 'now', '']

function times(random: Random, members: Member[]): void {
  if (random.chance(0.7)) return
  const broken = random.chance(0.1)
  const first = random.below(TIMES.length)
  const from = broken ? random.pick(BROKEN_TIMES) : (TIMES[first] as string)
  if (random.chance(0.8)) members.push(['started_at', JSON.stringify(from)])
  if (random.chance(0.8)) members.push(['ended_at', JSON.stringify(TIMES[first + random.below(TIMES.length - first)])])
}

/** Sometimes with an extra or duplicate member or another order, and with white space where it is allowed. */
function print(random: Random, members: readonly Member[], oddity = 0.03): string {
  const printed = members.map(([name, value]): Member => [quoted(random, name), value])
  if (random.chance(oddity)) printed.push([quoted(random, hostileText(random)), anyJson(random)])
  if (random.chance(oddity) && printed.length > 0) printed.push(random.pick(printed))
  if (random.chance(0.3)) printed.reverse()
  const blank = random.chance(0.2) ? random.pick([' ', '\t', '  ']) : ''
  return `{${blank}${printed.map(([name, value]) => `${name}${blank}:${blank}${value}`).join(`,${blank}`)}${blank}}`
}
