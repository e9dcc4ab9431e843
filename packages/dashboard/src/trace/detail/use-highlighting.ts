import { type ComponentProps, useEffect, useState } from 'react'
import type ReactMarkdown from 'react-markdown'
import './code.css'

type Plugins = NonNullable<ComponentProps<typeof ReactMarkdown>['rehypePlugins']>

const NONE: Plugins = []
/** A block of code that names its language. */
const NAMED_CODE = /^[ \t]*(?:```|~~~)[ \t]*\w/m

/** What colours code in Markdown. It is loaded when a text has such code, and until then the code is plain. */
export function useHighlighting(text: string): Plugins {
  const [plugins, setPlugins] = useState(NONE)
  const wanted = NAMED_CODE.test(text)
  useEffect(() => {
    if (!wanted) return
    let shown = true
    void import('rehype-highlight').then(
      ({ default: highlight }) => shown && setPlugins([highlight]),
      // Without the file, which a restart of the service may have replaced, code is readable too.
      () => {},
    )
    return () => {
      shown = false
    }
  }, [wanted])
  return plugins
}
