import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventId } from '@spoor/contract/ids'
import { verifyServiceSignature, verifyWebhook } from '@spoor/sdk'
import { Webhook } from 'standardwebhooks'
import { signDelivery } from './sign-delivery.ts'
import { newSigningSecret, secretProblem } from './signing-secret.ts'

const EVENT = 'evt_01h2xcejqtf2nbrexx3vqjhp41' as EventId
const AT = Date.UTC(2026, 2, 3, 12, 0, 0, 999)
const TEXT = '{"id":"evt_01h2xcejqtf2nbrexx3vqjhp41","type":"ping","data":{"name":"ß — 🦊"}}'
const body = Buffer.from(TEXT)
const OWN = 'a secret of sixteen ü'
const STANDARD = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='

test('the headers equal those of another HMAC implementation', () => {
  assert.deepEqual(signDelivery({ eventId: EVENT, attemptAt: AT, body, secrets: [STANDARD, OWN] }), {
    'x-service-signature': 'sha256=8eb9a4a448a6693227b0898a82ac39ea6a6d1a4419d72219acd9368204c9782f',
    'webhook-id': EVENT,
    'webhook-timestamp': '1772539200',
    'webhook-signature':
      'v1,mY/Gt+GUMn568zwbOpHribeqG5ikANyAX19R5LI1II4= v1,NBQEdeyuvV4CEu2HiYOc58owkYoPtzcnfM01r3sfdI0=',
  })
  const { 'x-service-signature': ofOwn } = signDelivery({ eventId: EVENT, attemptAt: AT, body, secrets: [OWN] })
  assert.equal(ofOwn, 'sha256=de666d411d8ed1c144fc8fdf80535c9e1adb670f079c693d9b96e5fd5e699e27')
})

test('the Standard Webhooks library verifies them with both secrets of a rotation and with no other', () => {
  const now = Date.now()
  const made = newSigningSecret((size) => Buffer.alloc(size, 0xfb))
  assert.match(made, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const headers = signDelivery({ eventId: EVENT, attemptAt: now, body, secrets: [made, OWN] })
  const receivers = [new Webhook(made), new Webhook(Buffer.from(OWN), { format: 'raw' })]
  for (const receiver of receivers) assert.deepEqual(receiver.verify(TEXT, { ...headers }), JSON.parse(TEXT))
  const stranger = new Webhook(STANDARD)
  assert.throws(() => stranger.verify(TEXT, { ...headers }))
  assert.throws(() => receivers[0]?.verify(TEXT.replace('ping', 'pong'), { ...headers }))
  assert.throws(() => receivers[0]?.verify(TEXT, { ...headers, 'webhook-id': 'evt_other' }))
})

test('the sdk verifies them', async () => {
  const text = '{"id":"evt_1","type":"ping","timestamp":"t","project_id":"proj_1","data":{}}'
  const given = { eventId: EVENT, attemptAt: AT, body: Buffer.from(text), secrets: [STANDARD, OWN] }
  const headers = signDelivery(given)
  for (const secret of [STANDARD, OWN]) {
    assert.deepEqual(await verifyWebhook({ body: text, headers, secret, now: AT }), JSON.parse(text))
  }
  assert.equal((await verifyServiceSignature({ body: text, headers, secret: STANDARD })).id, 'evt_1')
  await assert.rejects(verifyServiceSignature({ body: text, headers, secret: OWN }), { code: 'signature_mismatch' })
})

test('a secret of a client is printable text, or whsec_ and base64', () => {
  for (const fine of [OWN, '0123456789abcdef', '🦊'.repeat(16), STANDARD, 'whsec_MDEyMzQ1Njc4OQ==']) {
    assert.equal(secretProblem(fine), null, fine)
  }
  for (const wrong of [
    'tab\tin the middle of',
    'zero width \u200b space',
    'no-break\u00a0space here',
    'half \ud800 of one pair',
  ]) {
    assert.match(String(secretProblem(wrong)), /printable/, wrong)
  }
  for (const wrong of ['whsec_not base64 at all', 'whsec_MDEyMzQ1Njc4OQ', 'whsec_MDEy-zQ1Njc4_Q==']) {
    assert.match(String(secretProblem(wrong)), /base64/, wrong)
  }
})
