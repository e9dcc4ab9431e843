import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Below the ports that the system gives to connections and to listeners of any port: it gives these to nobody. */
const RANGE = { from: 10_000, to: 32_000 }

/** Ports of 127.0.0.1 that nobody uses at the moment, chosen at random: tests beside this one choose others. */
export async function freePorts(count: number): Promise<number[]> {
  const taken = new Map<number, Server>()
  while (taken.size < count) {
    const port = RANGE.from + Math.floor(Math.random() * (RANGE.to - RANGE.from))
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]).catch(() => false)
    if (isFree) taken.set(port, server)
  }
  await Promise.all([...taken.values()].map((server) => once(server.close(), 'close')))
  return [...taken.keys()]
}
