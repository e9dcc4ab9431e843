import { hash } from 'node:crypto'
import type { ProblemType } from '@spoor/contract/schemas/problem'

const STYLE = `:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem }
code { font: 0.9em ui-monospace, monospace }
dt { font-weight: 600; margin-top: 1rem }
dd { margin: 0 }`

/** Allows only the inline style. */
export const PROBLEM_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function printProblemPage({ code, title, status, meaning, remedy }: ProblemType): string {
  const where = status === null ? 'For one field of a request or one line of a batch.' : `HTTP status ${status}.`
  return page(
    title,
    `<p><code>${code}</code> · ${where}</p>
<dl><dt>What it means</dt><dd>${toHtml(meaning)}</dd>
<dt>What to do</dt><dd>${toHtml(remedy)}</dd></dl>
<p><a href="/problems">All errors</a> · <a href="/docs">API</a></p>`,
  )
}

export function printProblemList(problems: readonly ProblemType[]): string {
  const entry = ({ type, code, status, meaning }: ProblemType) =>
    `<dt><a href="${type}"><code>${code}</code></a> ${status ?? ''}</dt><dd>${toHtml(meaning)}</dd>`
  const list = (found: readonly ProblemType[]) => `<dl>${found.map(entry).join('\n')}</dl>`
  return page(
    'Errors',
    `<h2>For a whole request</h2>${list(problems.filter(({ status }) => status !== null))}
<h2>For one field or one line</h2>${list(problems.filter(({ status }) => status === null))}`,
  )
}

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${toHtml(title)} · Spoor</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head>
<body><h1>${toHtml(title)}</h1>
${content}</body></html>
`
}

/** Converts a text of the catalogue, with code in backticks. */
function toHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped.replace(/`([^`]*)`/g, '<code>$1</code>')
}
