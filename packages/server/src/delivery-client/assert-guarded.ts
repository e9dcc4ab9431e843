import { connect, createServer } from 'node:net'
import { OperatorError } from '../lib/operator-error.ts'
import { systemTimers } from '../lib/time/timers.ts'
import { type AddressPolicy, createAddressPolicy } from './address-policy.ts'
import { UndiciDeliverySender } from './undici-delivery-sender.ts'

const TIME_LIMIT_MS = 2000

/**
 * Proves before the first delivery that this runtime refuses what it must, since a runtime ignores options that it does
 * not know. Connects to a listener of its own on the loopback interface, by address and by name, with the whole sender
 * and with the block list alone; then without a guard, to see that the listener could be reached.
 *
 * @param policy one that allows nothing private
 * @throws OperatorError if a connection was made, or if nothing could be proved
 */
export async function assertGuarded(policy: AddressPolicy = createAddressPolicy([])): Promise<void> {
  let reached = 0
  const listener = createServer((socket) => {
    reached++
    socket.destroy()
  })
  const sender = new UndiciDeliverySender({
    policy,
    resolve: (_, report) => report([{ address: '127.0.0.1', family: 4 }]),
    timers: systemTimers,
    timeLimitMs: TIME_LIMIT_MS,
    nameFailureStepMs: 1,
  })
  try {
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(0, '127.0.0.1', resolve)
    })
    const address = listener.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { signal } = new AbortController()
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'guard.invalid']) {
      const request = { url: `http://${host}:${port}/`, headers: {}, body: new Uint8Array() }
      const { error } = await sender.send(request, signal)
      // The name resolves, so this error means that its address was refused.
      const refusal = host === 'guard.invalid' ? 'dns_failed' : 'address_refused'
      if (error?.code !== refusal || reached > 0) throw unguarded()
    }
    if ((await connectTo(port, policy)) !== 'ERR_IP_BLOCKED' || reached > 0) throw unguarded()
    if ((await connectTo(port, null)) !== null) throw new OperatorError(UNPROVED)
  } catch (error) {
    throw error instanceof OperatorError ? error : new OperatorError(UNPROVED, { cause: error })
  } finally {
    await sender.close()
    await new Promise<void>((closed) => listener.close(() => closed()))
  }
}

const UNPROVED =
  'webhooks cannot be sent: the service could not connect to a listener of its own on 127.0.0.1, which proves that it refuses private addresses'

function unguarded(): OperatorError {
  return new OperatorError(
    `webhooks cannot be sent: this Node (${process.version}) does not refuse connections to private addresses as configured; run the service on Node 24`,
  )
}

/** The error code of the connection; null if it is made. */
function connectTo(port: number, policy: AddressPolicy | null): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ...(policy === null ? {} : { blockList: policy.blockList }) })
    socket.setTimeout(TIME_LIMIT_MS, () => socket.destroy())
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
    socket.once('connect', () => {
      resolve(null)
      socket.destroy()
    })
    socket.once('close', () => resolve('closed'))
  })
}
