import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { verifyServiceSignature, verifyWebhook, WebhookVerificationError } from './index.ts'

const AT = 1_772_539_200
const now = AT * 1000
const ID = 'evt_01h2xcejqtf2nbrexx3vqjhp41'
const body = `{"id":"${ID}","type":"ping","timestamp":"2026-03-03T12:00:00.000Z","project_id":"proj_x","data":{"webhook_id":"wh_ß🦊"}}`
const OWN = 'a secret of sixteen ü'
const STANDARD = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

const v1 = (key: string | Buffer, text = body) =>
  `v1,${createHmac('sha256', key).update(`${ID}.${AT}.${text}`).digest('base64')}`
const ofStandard = v1(Buffer.alloc(32, 7))
const signed = (signature: string) => ({
  'webhook-id': ID,
  'webhook-timestamp': String(AT),
  'webhook-signature': signature,
})
const refusal = (code: string) => (error: unknown) => error instanceof WebhookVerificationError && error.code === code

test('a delivery is verified with both kinds of secret, as text or bytes, with headers of any shape', async () => {
  const headers = signed(v1(OWN))
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  for (const shape of [headers, new Headers(headers), new Map(Object.entries(headers)), upper, lists] as const) {
    for (const raw of [body, Buffer.from(body), new Uint8Array(Buffer.from(body))]) {
      const given = shape instanceof Map ? { get: (name: string) => shape.get(name) ?? null } : shape
      const event = await verifyWebhook({ body: raw, headers: given, secret: OWN, now })
      assert.equal(event.type === 'ping' && event.data.webhook_id, 'wh_ß🦊')
    }
  }
  assert.equal((await verifyWebhook({ body, headers: signed(ofStandard), secret: STANDARD, now })).id, ID)
})

test('during a rotation either side may switch first', async () => {
  const both = signed(`${ofStandard} ${v1(OWN)}`)
  for (const secret of [OWN, STANDARD, [OWN, STANDARD], ['an older one of mine', OWN]]) {
    assert.equal((await verifyWebhook({ body, headers: both, secret, now })).id, ID)
  }
  const strange = signed(`v1a,AAAA v1,!!! v2,x  ${v1(OWN)}`)
  assert.equal((await verifyWebhook({ body, headers: strange, secret: [STANDARD, OWN], now })).id, ID)
})

test('a delivery that is not signed exactly so is refused', async () => {
  const good = { body, headers: signed(v1(OWN)), secret: OWN, now }
  const refused: readonly (readonly [string, Partial<Parameters<typeof verifyWebhook>[0]>])[] = [
    ['signature_mismatch', { body: body.replace('ping', 'pong') }],
    ['signature_mismatch', { body: `${body} ` }],
    ['signature_mismatch', { secret: STANDARD }],
    ['signature_mismatch', { secret: `${OWN} ` }],
    ['signature_mismatch', { headers: { ...good.headers, 'webhook-id': 'evt_other' } }],
    ['signature_mismatch', { headers: { ...good.headers, 'webhook-timestamp': String(AT + 1) } }],
    ['signature_mismatch', { headers: signed(v1(OWN).replace('v1,', 'v2,')) }],
    ['signature_mismatch', { headers: signed('v1,') }],
    ['signature_mismatch', { headers: signed(`${'v1,AAAA '.repeat(16)}${v1(OWN)}`) }],
    ['missing_header', { headers: {} }],
    ['missing_header', { headers: { ...good.headers, 'webhook-signature': '' } }],
    ['missing_header', { headers: { ...good.headers, 'webhook-timestamp': undefined } }],
    ['invalid_header', { headers: { ...good.headers, 'webhook-timestamp': '2026-03-03' } }],
    ['invalid_secret', { secret: '' }],
    ['invalid_secret', { secret: [] }],
    ['invalid_secret', { secret: [OWN, ''] }],
    ['invalid_secret', { secret: 'whsec_' }],
    ['invalid_secret', { secret: 'whsec_not base64' }],
    ['timestamp_too_old', { now: now + 301_000 }],
    ['timestamp_too_old', { now: NaN }],
    ['timestamp_too_new', { now: now - 301_000 }],
    ['timestamp_too_old', { now: now + 61_000, toleranceSeconds: 60 }],
  ]
  for (const [code, change] of refused) {
    await assert.rejects(verifyWebhook({ ...good, ...change }), refusal(code), `${code} ${JSON.stringify(change)}`)
  }
  for (const offset of [300_000, -300_000]) {
    assert.equal((await verifyWebhook({ ...good, now: now + offset })).id, ID)
  }
})

test('a signed body that is no event is refused as invalid_body', async () => {
  for (const text of ['', 'no json', '[]', '{"id":"evt_x"}', body.replace('{"webhook_id":"wh_ß🦊"}', 'null')]) {
    const verified = verifyWebhook({ body: text, headers: signed(v1(OWN, text)), secret: OWN, now })
    await assert.rejects(verified, refusal('invalid_body'), text)
  }
})

test('the service signature is of the raw body, in lowercase hex, with the whole secret', async () => {
  for (const secret of [OWN, STANDARD]) {
    const hex = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'X-Service-Signature': `sha256=${hex}` }
    assert.equal((await verifyServiceSignature({ body, headers, secret })).id, ID)
    assert.equal((await verifyServiceSignature({ body, headers, secret: ['another one', secret] })).id, ID)
    await assert.rejects(verifyServiceSignature({ body: `${body}\n`, headers, secret }), refusal('signature_mismatch'))
    await assert.rejects(verifyServiceSignature({ body, headers: {}, secret }), refusal('missing_header'))
    await assert.rejects(verifyServiceSignature({ body, headers, secret: '' }), refusal('invalid_secret'))
    for (const wrong of [hex, `sha256=${hex.toUpperCase()}`, `sha1=${hex}`, 'sha256=', `sha256=${hex}0`]) {
      const verified = verifyServiceSignature({ body, headers: { 'x-service-signature': wrong }, secret })
      await assert.rejects(verified, refusal('invalid_header'), wrong)
    }
  }
})
