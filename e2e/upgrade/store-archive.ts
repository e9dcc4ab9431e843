import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { clockBehind } from '../lib/clock-behind.ts'
import { Service } from '../lib/service.ts'
import { ANSWERS_FILE } from './store-answers.ts'
import { deleteAtLast, fillProject } from './store-content.ts'
import { endOfPast, fillPast, limitPast, PAST_DAYS } from './store-past.ts'
import { readAnswers } from './store-paths.ts'
import { QUIET, sendAsOthers } from './store-senders.ts'
import { fillTopics } from './store-topics.ts'

/** Fills a new store in `dataDir` with something of every kind, kills its service, and packs the folder. */
export async function makeStore(dataDir: string): Promise<Buffer> {
  const before = await Service.start({ dataDir, environment: clockBehind(PAST_DAYS) })
  const { key } = before
  const past = await fillPast(before.client)
  await before.stop()
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end('taken')))
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const settings = { SPOOR_BOOTSTRAP_KEY: key, SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8', SPOOR_MONITOR_INTERVAL_SECONDS: '1' }
  const environment = { ...settings, ...QUIET }
  const first = await Service.start({ dataDir, environment })
  await limitPast(first.client, past)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const filled = await fillProject(first.client, url)
  receiver.close()
  await sendAsOthers(first.client)
  const topics = await fillTopics(first.client)
  await endOfPast(first.client, past)
  // A stop moves what the log has into the engine.
  await first.stop()
  if (globSync('**/data.bin', { cwd: dataDir }).length === 0) throw new Error('the engine has no part')
  await using service = await Service.start({ dataDir, environment })
  await deleteAtLast(service.client)
  const answers = await readAnswers(service, { past, filled, topics })
  await service.kill()
  writeFileSync(join(dataDir, ANSWERS_FILE), JSON.stringify(answers))
  const packed = spawnSync('tar', ['--exclude=space-for-deletions', '-cf', '-', '-C', dataDir, '.'], {
    maxBuffer: 2 ** 30,
  })
  if (packed.status !== 0) throw new Error(packed.stderr.toString())
  return zstdCompressSync(packed.stdout, { params: { [constants.ZSTD_c_compressionLevel]: 15 } })
}

export function unpackStore(bytes: Buffer, dataDir: string): void {
  const unpacked = spawnSync('tar', ['-xpf', '-', '-C', dataDir], { input: zstdDecompressSync(bytes) })
  if (unpacked.status !== 0) throw new Error(unpacked.stderr.toString())
}
