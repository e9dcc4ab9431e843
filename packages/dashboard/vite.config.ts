import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite'

/** Browsers with `light-dark()`, which every colour here is made of. */
const BROWSERS = ['chrome123', 'firefox120', 'safari17.5']

/** The page itself names what its first script loads: it comes at the same time as that. */
const preloadMain: Plugin = {
  name: 'preload-main',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) => {
      const files = new Set<string>()
      const add = (file: string) => {
        const chunk = bundle[file]
        if (chunk?.type !== 'chunk' || files.has(file)) return
        files.add(file)
        for (const imported of chunk.imports) add(imported)
      }
      const main = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'main')
      if (main !== undefined) add(main.fileName)
      return [...files].map((file): HtmlTagDescriptor => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` },
        injectTo: 'head',
      }))
    },
  },
}

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadMain],
  build: { target: BROWSERS, cssTarget: BROWSERS, assetsInlineLimit: 0, reportCompressedSize: false },
  // `npx vite packages/dashboard` beside a running service, for work on the screens.
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:4319' } } },
})
