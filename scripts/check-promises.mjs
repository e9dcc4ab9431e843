// Part of npm run lint: a promise that nobody awaits loses its error, and with it perhaps an acknowledged trace. The linter's own rule
// for this needs a type checker that it does not bring; this one asks TypeScript.
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '..')

/** node:test keeps track of what these return. */
const TRACKED_BY_THE_RUNNER = new Set(['test', 'it', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach'])

const config = ts.getParsedCommandLineOfConfigFile(
  join(root, 'tsconfig.json'),
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
    },
  },
)
if (config === undefined) throw new Error(`there is no tsconfig.json in ${root}`)
const program = ts.createProgram(config.fileNames, config.options)
const checker = program.getTypeChecker()
/** @type {string[]} */
const found = []

for (const file of program.getSourceFiles()) {
  if (!file.isDeclarationFile && !file.fileName.includes('/node_modules/')) visit(file, file)
}
for (const line of found.sort()) console.error(line)
if (found.length > 0) {
  console.error(
    `${found.length} promise(s) that nobody awaits: await them, return them, or handle their error with .catch; void says that it is meant.`,
  )
  process.exitCode = 1
}

/**
 * @param {ts.Node} node
 * @param {ts.SourceFile} file
 */
function visit(node, file) {
  if (ts.isExpressionStatement(node) && isFloating(node.expression)) {
    const { line, character } = file.getLineAndCharacterOfPosition(node.getStart())
    found.push(`${relative(root, file.fileName)}:${line + 1}:${character + 1} ${node.getText().split('\n')[0]}`)
  }
  ts.forEachChild(node, (child) => visit(child, file))
}

/**
 * Only calls can make a promise here: an assignment hands it to a variable, void and await deal with it.
 * @param {ts.Expression} expression
 */
function isFloating(expression) {
  if (!ts.isCallExpression(expression) || isTrackedByTheRunner(expression) || handlesRejection(expression)) return false
  const type = checker.getTypeAtLocation(expression)
  // Promises alone: other thenables (a reply of the HTTP framework) are fluent objects that may be left.
  return (type.isUnion() ? type.types : [type]).some((part) => part.getSymbol()?.name === 'Promise')
}

/** @param {ts.CallExpression} call */
function isTrackedByTheRunner(call) {
  const callee = ts.isPropertyAccessExpression(call.expression) ? call.expression.expression : call.expression
  return ts.isIdentifier(callee) && TRACKED_BY_THE_RUNNER.has(callee.text)
}

/** @param {ts.CallExpression} call */
function handlesRejection(call) {
  if (!ts.isPropertyAccessExpression(call.expression)) return false
  const method = call.expression.name.text
  return (method === 'catch' && call.arguments.length > 0) || (method === 'then' && call.arguments.length === 2)
}
