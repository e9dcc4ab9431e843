// Called before start, test, check and spoor. With --for-service, development packages may be missing.
// Runs on Node 20 and later, before anything is installed: no dependencies.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InstallFailure, ensureInstalled } from './install/ensure-installed.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

try {
  const outcome = await ensureInstalled(root, !process.argv.includes('--for-service'))
  if (outcome === 'present' && !process.argv.includes('--quiet'))
    console.error('Packages are installed and up to date.')
} catch (error) {
  if (!(error instanceof InstallFailure)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
