import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig } from './config.ts'
import { createLogger } from './operation/logging.ts'
import { startService } from './start-service.ts'

test('a service that cannot listen leaves no timer running', async (context) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const dataDir = mkdtempSync(join(tmpdir(), 'spoor-start-'))
  context.after(() => {
    other.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const { port } = other.address() as AddressInfo
  const config = loadConfig({}, ['--data-dir', dataDir, '--host', '127.0.0.1', '--port', String(port)])
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  await assert.rejects(startService(config, createLogger('silent'), 'test'), /EADDRINUSE/)
  assert.equal(timers(), before)
})
