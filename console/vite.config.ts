import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react({ jsxImportSource: '#jsx' }), tailwindcss()],
  // `npm run console:dev`, beside a service.
  server: { proxy: { '/v1': process.env['MUSTER_URL'] ?? 'http://127.0.0.1:3000' } },
  build: {
    // Browsers of the last two years; older ones lack light-dark().
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // The policy forbids inline sources.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
  },
})
