// Runs the named test files in this process. As node --test --test-isolation=none, which however loads the test runner
// before --import.
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href)
