import { createHmac } from 'node:crypto'
import type { SignDelivery } from './delivery-signer.ts'
import { standardKey } from './signing-secret.ts'

export const signDelivery: SignDelivery = ({ eventId, attemptAt, body, secrets }) => {
  const [newest] = secrets
  if (newest === undefined) throw new Error('a delivery needs at least one secret to be signed')
  const timestamp = String(Math.floor(attemptAt / 1000))
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', standardKey(secret)).update(`${eventId}.${timestamp}.`).update(body)
    return `v1,${digest.digest('base64')}`
  })
  return {
    'x-service-signature': `sha256=${createHmac('sha256', Buffer.from(newest, 'utf8')).update(body).digest('hex')}`,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
