import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import ReactMarkdown from 'react-markdown'
import remarkBreaks from 'remark-breaks'
import { keepIndents } from './keep-indents.ts'

function rendered(text: string): string {
  const html = renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [keepIndents, remarkBreaks] }, text))
  return html.replaceAll('\u00a0', '.').replaceAll('\n', '')
}

test('lines in a paragraph keep their white space', () => {
  const traceback = 'Traceback:\n  File "a.py"\n    f()\n\t*x* and\n  `y`\nTypeError'
  assert.equal(
    rendered(traceback),
    '<p>Traceback:<br/>..File &quot;a.py&quot;<br/>....f()<br/>....<em>x</em> and<br/>..<code>y</code><br/>TypeError</p>',
  )
})

test('white space that belongs to a list or to code is left alone', () => {
  assert.equal(rendered('- one\n  two\n    three'), '<ul><li>one<br/>two<br/>..three</li></ul>')
  assert.equal(rendered('> one\n> two'), '<blockquote><p>one<br/>two</p></blockquote>')
  assert.equal(rendered('a &amp; b\n  c'), '<p>a &amp; b<br/>..c</p>')
  assert.equal(rendered('    code\n      more'), '<pre><code>code  more</code></pre>')
})
