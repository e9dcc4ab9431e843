import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Service } from '../lib/service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const SECRET = 'a secret of the readme test'
const RECEIVER_PORT = 8080

/** Blocks that install, start or follow: a test cannot run them inside of itself. */
const LEFT_OUT =
  /npm start|git |\/traces\/tail|export SPOOR_URL|export WEBHOOK_SECRET|npm run demo|tar -czf|spoor\.mjs serve/

test('the blocks of the README work as pasted, in their order, and leave no files', async (context) => {
  if (await isTaken(RECEIVER_PORT)) return context.skip(`port ${RECEIVER_PORT}, which the README uses, is taken`)
  await using service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1/32' } })
  const before = status()
  const receiver = startReceiver(context)
  const blocks = blocksOf('sh').filter((block) => !LEFT_OUT.test(block))
  assert.ok(blocks.length > 20, `${blocks.length} blocks`)
  const shell = spawn('bash', ['-o', 'pipefail', '-s'], {
    cwd: ROOT,
    env: {
      ...process.env,
      SPOOR_URL: service.url,
      SPOOR_API_KEY: service.key,
      SPOOR_DATA_DIR: service.dataDir,
      WEBHOOK_SECRET: SECRET,
    },
  })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)))
  // Each block on its own, in one shell: an exit code that is not 0 is told with the block it belongs to.
  shell.stdin.end(
    blocks
      .map(
        (block) =>
          `{\n${block}\n} || echo "FAILED WITH $? BLOCK: ${block.slice(0, 60).replaceAll(/["`$\\\n]/g, ' ')}"\n`,
      )
      .join(''),
  )
  await once(shell, 'close')
  assert.doesNotMatch(output, /FAILED WITH|"status":4\d\d|"status":5\d\d|command not found/, output)
  assert.match(output, /"uri":"media:/)
  assert.match(output, /"id":"job_/)
  assert.match(await receiver.received('ping'), /ping/)
  assert.equal(status(), before, 'files were left in the checkout')
})

function blocksOf(language: string): string[] {
  return [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  )
}

/** The TypeScript receiver of the README, from standard input, so that no file is made. */
function startReceiver(context: TestContext): { received(type: string): Promise<string> } {
  const source = blocksOf('ts').find((block) => block.includes('verifyWebhook'))
  assert.ok(source !== undefined)
  const receiver = spawn(process.execPath, ['--input-type=module-typescript', '-'], {
    cwd: ROOT,
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  receiver.stdin.end(source)
  context.after(() => end(receiver))
  let printed = ''
  receiver.stdout.on('data', (chunk: Buffer) => (printed += String(chunk)))
  return {
    async received(type) {
      while (!printed.includes(type)) await once(receiver.stdout, 'data')
      return printed
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

async function isTaken(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(true))
    server.listen(port, () => server.close(() => resolve(false)))
  })
}

function status(): string {
  return spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }).stdout
}
