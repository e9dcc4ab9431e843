// Runs the named test files in this process. As node --test --test-isolation=none, which however loads the test runner
// before --import.
import { before } from 'node:test'
import { pathToFileURL } from 'node:url'

const loaded = Promise.withResolvers()
// No test starts before all files are loaded. Node keeps a process alive for its tests only until it has run all that
// it knows of. Without this, that is the end of the first file, and a later test that waits for a thread would end the
// process.
before(() => loaded.promise)
try {
  for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href)
} finally {
  loaded.resolve(undefined)
}
