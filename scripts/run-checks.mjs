// npm run check: runs the named npm scripts, as many at once as there are cores, and prints each one's output when it
// ends. All of them run, whatever fails.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

const waiting = process.argv.slice(2)

async function runNext() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { output, code } = await run(name)
    process.stdout.write(output)
    if (code === 0) continue
    console.error(`npm run ${name} failed.`)
    process.exitCode = 1
  }
}

/**
 * @param {string} name
 * @returns {Promise<{ output: string, code: number | null }>}
 */
function run(name) {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ output, code }))
  })
}

await Promise.all(Array.from({ length: availableParallelism() }, runNext))
