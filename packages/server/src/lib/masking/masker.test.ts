import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mock, test } from 'node:test'
import fc from 'fast-check'
import { DETECTORS, type Masking, NO_MASKING } from '@spoor/contract/schemas/masking'
import { compilePattern } from './compile-pattern.ts'
import { DETECT } from './detectors.ts'
import { compileMasking, compileTried, type Hit } from './masker.ts'

const found = (detector: (typeof DETECTORS)[number], text: string) =>
  DETECT[detector](text).map(([start, end]) => text.slice(start, end))

async function masked(rules: Partial<Masking>, value: object): Promise<unknown> {
  return JSON.parse((await maskedText(rules, JSON.stringify(value))).text)
}

async function maskedText(rules: Partial<Masking>, json: string): Promise<{ text: string; hits: Hit[] }> {
  const masker = await compileMasking({ ...NO_MASKING, ...rules })
  assert(masker !== null)
  const hits: Hit[] = []
  return { text: masker.json(Buffer.from(json), null, (hit) => hits.push(hit)).toString(), hits }
}

test('each detector finds what it is for', () => {
  const key = `sk-ant-${'aB3_'.repeat(8)}`
  const jwt = `eyJ${'a1'.repeat(10)}.eyJ${'b2'.repeat(10)}.${'c3'.repeat(10)}`
  for (const [detector, text, expected] of [
    ['api_key', `OPENAI=${key}, next`, [key]],
    ['api_key', 'id AKIAIOSFODNN7EXAMPLE.', ['AKIAIOSFODNN7EXAMPLE']],
    ['api_key', `ghp_${'a1'.repeat(18)}`, [`ghp_${'a1'.repeat(18)}`]],
    ['bearer_token', 'Authorization: Bearer abcdef0123456789xyz', ['abcdef0123456789xyz']],
    ['bearer_token', `token=${jwt}`, [jwt]],
    ['card', 'pay 4111 1111 1111 1111 now', ['4111 1111 1111 1111']],
    ['card', '5555555555554444', ['5555555555554444']],
    ['card', 'amex 3782-822463-10005.', ['3782-822463-10005']],
    ['email', 'Write to <ann.o+x@mail.example.org>, please', ['ann.o+x@mail.example.org']],
    [
      'phone',
      'call +49 30 1234567 or (415) 555-2671, 415-555-2671',
      ['+49 30 1234567', '(415) 555-2671', '415-555-2671'],
    ],
  ] as const) {
    assert.deepEqual(found(detector, text), expected, text)
  }
  const pem = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIE'.repeat(40)}\n-----END RSA PRIVATE KEY-----`
  assert.deepEqual(found('api_key', `a ${pem} b`), [pem])
})

test('addresses and keys are found whole, however long, after a colon and after an escaped line end', () => {
  const long = `a1${'b'.repeat(9000)}`
  for (const [detector, text, expected] of [
    ['email', '[Ann](mailto:ann@b.example) E-Mail:bob@b.example', ['ann@b.example', 'bob@b.example']],
    ['email', 'postgres://user:word@b.example/x', []],
    ['bearer_token', `BEARER ${long}`, [long]],
    ['bearer_token', `x eyJ${long}.eyJ${long}.${long}`, [`eyJ${long}.eyJ${long}.${long}`]],
    ['bearer_token', '\\nBearer abcdef0123456789xyz', ['abcdef0123456789xyz']],
    ['api_key', `\\nsk-${long}, xsk-${long}`, [`sk-${long}`]],
    ['card', '\\n4111111111111111', ['4111111111111111']],
  ] as const) {
    assert.deepEqual(found(detector, text), expected, text.slice(0, 60))
  }
  const key = `-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----`
  assert.deepEqual(found('api_key', `a -----BEGIN PRIVATE KEY----- here: ${key} and ${key}`), [key, key])
})

test('no detector finds ids, hashes, amounts or times', () => {
  const digit = fc.integer({ min: 0, max: 9 }).map(String)
  const texts = fc.oneof(
    fc.uuid(),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 64 }).map((hex) => `x${hex}`),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((amount) => `$${amount.toFixed(2)}`),
    fc.integer({ min: 1_500_000_000_000, max: 1_999_999_999_999 }).map(String),
    fc.integer({ min: 1_500_000_000_000, max: 1_999_999_999_999 }).map((ms) => `${ms}000`),
    fc.integer({ min: 1_500_000_000_000, max: 1_999_999_999_999 }).map((ms) => `${ms}000000`),
    fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString()),
    fc.array(digit, { minLength: 1, maxLength: 13 }).map((digits) => digits.join('')),
    fc.ipV4(),
  )
  fc.assert(
    fc.property(texts, (text) => {
      for (const detector of DETECTORS) assert.deepEqual(found(detector, `"${text}",`), [], `${detector}: ${text}`)
    }),
    { numRuns: 5000 },
  )
})

const AIRLINE = new URL('../../../../../../shared/data/airline-traces.jsonl', import.meta.url)

test(
  'in the airline runs only the addresses of customers are found',
  { skip: existsSync(AIRLINE) ? false : 'the runs are not here' },
  () => {
    const text = readFileSync(AIRLINE, 'utf8')
    const addresses = found('email', text)
    assert(addresses.length > 100)
    for (const address of addresses) assert.match(address, /^[a-z]+[._][a-z]+[._]?[0-9]+@(example|gmail)\.com$/)
    for (const detector of DETECTORS) if (detector !== 'email') assert.deepEqual(found(detector, text), [], detector)
  },
)

test('each detector finds a secret behind a long text that begins like many', () => {
  const secrets = {
    api_key: `sk-ant-${'aB3_'.repeat(8)}`,
    bearer_token: `eyJ${'a1'.repeat(10)}.eyJ${'b2'.repeat(10)}.${'c3'.repeat(10)}`,
    card: '4111 1111 1111 1111',
    email: 'ann@b.example',
    phone: '+49 30 1234567',
  }
  const pieces = [
    '1',
    '1-',
    '1 ',
    '1.',
    '+1',
    '(4',
    '4111 ',
    '4111-1111-1111-',
    '-',
    '.',
    '@',
    'a',
    'a@',
    'a@b.',
    '@a-',
  ]
  pieces.push('eyJ', 'eyJ.', `.eyJ${'a'.repeat(10)}`, 'bearer ', 'bearer a', 'sk-', 'xoxb-', 'ghp_', 'SG.', 'lsv2_ab_')
  pieces.push('-----BEGIN ', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', '-----END A ', '://a:', '\\n')
  for (const piece of pieces)
    for (const detector of DETECTORS) {
      const text = `${piece.repeat(1_000_000 / piece.length)}! , ${secrets[detector]}`
      assert.ok(found(detector, text).includes(secrets[detector]), `${detector} behind ${piece}`)
    }
})

test('numbers, escapes and members stay byte for byte, but for what is masked', async () => {
  const { text, hits } = await maskedText(
    { detectors: ['email', 'card'] },
    '{ "a":1.0, "b@c.de":"\\u0061@b.example\\n", "n":12345678901234567890, "card":4111111111111111,"l":[true,null,"x"] }',
  )
  assert.equal(
    text,
    '{ "a":1.0, "b@c.de":"[masked:email]\\n", "n":12345678901234567890, "card":"[masked:card]","l":[true,null,"x"] }',
  )
  assert.deepEqual(
    hits.map(({ rule, place }) => [rule, place]),
    [
      ['email', 'b@c.de'],
      ['card', 'card'],
    ],
  )
})

test('a text that is JSON stays JSON', async () => {
  const inner = JSON.stringify({
    card: 4_111_111_111_111_111,
    deep: JSON.stringify({ token: 'abc', to: 'a@b.example' }),
  })
  const result = (await masked(
    { detectors: ['card', 'email'], fields: ['**.token'] },
    { messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: inner } }] }] },
  )) as { messages: { tool_calls: { function: { arguments: string } }[] }[] }
  const read = JSON.parse(result.messages[0]!.tool_calls[0]!.function.arguments) as { card: string; deep: string }
  assert.equal(read.card, '[masked:card]')
  assert.deepEqual(JSON.parse(read.deep), { token: '[masked:**.token]', to: '[masked:email]' })
})

test('paths name values in lists, below any name, and in names with dots', async () => {
  assert.deepEqual(
    await masked(
      { fields: ['messages.content', 'metadata.*.secret', 'metadata.user.email'] },
      {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hello', n: 7 }] }],
        metadata: { a: { secret: 1, other: 1 }, 'user.email': 'x', user: { email: ['y', false] } },
      },
    ),
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: '[masked:messages.content]', n: '[masked:messages.content]' }],
        },
      ],
      metadata: {
        a: { secret: '[masked:metadata.*.secret]', other: 1 },
        'user.email': '[masked:metadata.user.email]',
        user: { email: ['[masked:metadata.user.email]', false] },
      },
    },
  )
})

test('ids are masked only by a path that names them', async () => {
  const masker = await compileMasking({ ...NO_MASKING, detectors: ['email'] })
  assert.equal(
    masker?.text('a@b.example', 'user_id', () => assert.fail(), { onlyFields: true }),
    'a@b.example',
  )
  const named = await compileMasking({ ...NO_MASKING, fields: ['user_id'] })
  assert.equal(
    named?.text('a@b.example', 'user_id', () => undefined, { onlyFields: true }),
    '[masked:user_id]',
  )
})

test('whatever is masked stays JSON with the same members', async () => {
  const masker = await compileMasking({
    fields: ['**.secret'],
    detectors: [...DETECTORS],
    patterns: [{ name: 'odd', pattern: '[0-9"\\\\{}a]+' }],
  })
  const shape = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shape)
    if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? value : null
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shape(one)]))
  }
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const bytes = Buffer.from(JSON.stringify({ metadata: [value, JSON.stringify(value)] }))
      const text = masker!.json(bytes, null, () => undefined).toString()
      const [outer, inner] = (JSON.parse(text) as { metadata: [unknown, string] }).metadata
      assert.deepEqual(shape(outer), shape(JSON.parse(JSON.stringify(value))))
      assert.deepEqual(shape(JSON.parse(inner)), shape(JSON.parse(JSON.stringify(value))))
    }),
    { numRuns: 500 },
  )
})

test('texts of JSON in one another are read as deep as a text may nest, and as text beyond', async () => {
  let deep = '"a@b.example"'
  for (let level = 0; level < 5; level++) deep = JSON.stringify(`${'['.repeat(900)}${deep}${']'.repeat(900)}`)
  const result = await masked({ detectors: ['email'] }, { metadata: { deep: JSON.parse(deep) as string } })
  assert.match(JSON.stringify(result), /\[masked:email\]/)
})

test('under a masked path, detectors read roles and types; what they hold is masked', async () => {
  assert.deepEqual(
    await masked(
      { fields: ['metadata.customer'], detectors: ['email'] },
      { metadata: { customer: { type: 'a@b.example', role: { x: 'secret', type: 'card' } } } },
    ),
    {
      metadata: {
        customer: { type: '[masked:email]', role: { x: '[masked:metadata.customer]', type: 'card' } },
      },
    },
  )
})

test('what the service reads again is not masked', async () => {
  const metadata = {
    'spoor.part': { at: 1_732_000_000_000 },
    'otel.log_records': [{ id: '12345678901', time_unix_nano: '1732000000000000000', at: [0], name: '12345678901' }],
    score_id: '12345678901',
  }
  const result = await masked({ patterns: [{ name: 'digits', pattern: '[0-9]{10,}' }] }, { metadata })
  assert.deepEqual(result, {
    metadata: { ...metadata, 'otel.log_records': [{ ...metadata['otel.log_records'][0], name: '[masked:digits]' }] },
  })
})

test('what is masked already stays, and marks cannot lengthen a text much', async () => {
  const patterns = [{ name: 'own', pattern: '[a-z]+:[a-z]+|1' }]
  const once = await masked({ patterns }, { a: 'x:y', other: '[masked:nobody]' })
  assert.deepEqual(once, { a: '[masked:own]', other: '[[masked:own]]' })
  assert.deepEqual(await masked({ patterns }, { a: '[masked:own]' }), { a: '[masked:own]' })
  const path = `metadata.${'x'.repeat(190)}`
  const long = JSON.stringify({ metadata: { ['x'.repeat(190)]: Array.from({ length: 100_000 }, () => 1) } })
  const { text } = await maskedText({ fields: [path] }, long)
  assert.ok(text.length < 12 * long.length, `${text.length}`)
})

test('paths with many `**` match the same places', async () => {
  const fields = ['**.**.**.**.**.**.**.**.x']
  let value: object = { x: 'secret' }
  for (let level = 0; level < 40; level++) value = { user: value }
  assert.match(JSON.stringify(await masked({ fields }, { metadata: value })), /masked:/)
})

test('matches that overlap become one; a text with very many is masked whole', async () => {
  const patterns = [
    { name: 'one', pattern: 'abc' },
    { name: 'two', pattern: 'bcd' },
  ]
  assert.deepEqual(await masked({ patterns }, { a: 'x abcd y' }), { a: 'x [masked:one] y' })
  assert.deepEqual(await masked({ patterns }, { a: 'abc '.repeat(1001) }), { a: '[masked:one]' })
})

test('all rules remember one MiB of texts without a match together, and tried rules none', async () => {
  const detect = mock.method(DETECT, 'email')
  try {
    const rules = ['a', 'b'].map((field): Masking => ({ fields: [field], detectors: ['email'], patterns: [] }))
    const [first, second] = await Promise.all(rules.map(compileMasking))
    const tried = await compileTried(rules[0]!)
    const searchesOf = (masker: typeof tried, text: string) => {
      const before = detect.mock.callCount()
      masker?.text(text, 'name', () => assert.fail())
      return detect.mock.callCount() - before
    }
    const long = '.'.repeat(600_000)
    assert.deepEqual([searchesOf(tried, 'x'), searchesOf(tried, 'x')], [1, 1])
    assert.deepEqual([searchesOf(first!, long), searchesOf(first!, long)], [1, 0])
    assert.deepEqual([searchesOf(second!, long), searchesOf(second!, long)], [1, 0])
    assert.equal(searchesOf(first!, long), 1)
  } finally {
    detect.mock.restore()
  }
})

test('a pattern that cannot be used is refused with the reason', async () => {
  for (const [pattern, reason] of [
    ['(', /RE2: .*missing/],
    ['(a)\\1', /RE2: .*escape/],
    ['(?=a)', /RE2: /],
    ['a*', /empty text/],
    ['((a{100}){10}){5}', /RE2: |too large/],
  ] as const) {
    const refused = await compilePattern(pattern)
    assert(typeof refused === 'string', pattern)
    assert.match(refused, reason)
  }
})

test('a pattern with nested repetitions reads a long text once; one that reads on in vain is cut', async () => {
  const long = 'a'.repeat(100_000)
  for (const pattern of ['(a+)+$', '(a|a)+b', '((a*)*c)+', '(.*a){9}!', '(a?){50}a{50}!']) {
    const detect = await compilePattern(pattern)
    assert(typeof detect === 'function', String(detect))
    assert.deepEqual(detect(`${long}?`), [], pattern)
  }
  // Each of its 500 matches reads to the end first.
  const inVain = await compilePattern('a[^b]*b|a')
  assert(typeof inVain === 'function')
  const rare = `a${'x'.repeat(2000)}`
  assert.deepEqual(inVain(rare.repeat(2)), [
    [0, 1],
    [rare.length, rare.length + 1],
  ])
  assert.deepEqual(inVain(rare.repeat(500)), [[0, 500 * rare.length]])
})
