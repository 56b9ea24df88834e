-- For wrk: `wrk … -s post.lua URL -- BODY` posts the same JSON again and again, and prints what it found as JSON.
function init(args)
  wrk.method = "POST"
  wrk.body = args[1]
  wrk.headers["content-type"] = "application/json"
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"us":%d,"p50":%d,"p99":%d,"failed":%d}\n', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
