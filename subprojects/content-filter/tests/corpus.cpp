#include "corpus.hpp"

#include <random>

namespace corpus {

using content_filter::content_class;
using strings = std::vector<std::string>;

namespace {

constexpr std::string_view hole = "@@";
constexpr unsigned examples_of_kind = 3;

std::string filled(std::string_view context, std::string_view with) {
  std::string out{context};
  for (auto at = out.find(hole); at != out.npos; at = out.find(hole, at + with.size()))
    out.replace(at, hole.size(), with);
  return out;
}

/// Where secrets are met: prose, Markdown, JSON (also inside of a JSON text), variables, URLs, code.
const strings& contexts() {
  static const strings all{"@@",
                           "Use the key @@ for now.",
                           "My token is @@, please keep it to yourself.",
                           "It ends with the secret: @@.",
                           "(see `@@`)",
                           "**@@**",
                           "| staging | @@ | 2026-01-31 |",
                           R"({"key":"@@","n":1})",
                           R"({"text":"first line\n@@\nlast line"})",
                           R"({"text":"{\"key\":\"@@\",\"n\":1}"})",
                           R"({"text":"key\u003d@@\u0026"})",
                           "MY_KEY=@@\nOTHER=1\n",
                           "export MY_KEY='@@'\r\n",
                           "key: @@\nname: x\n",
                           "https://api.example.com/v1?key=@@&page=2",
                           "key%3D@@%26page%3D2",
                           "curl -H 'Authorization: Bearer @@' https://example.com/",
                           R"(const client = new Client("@@", { retries: 3 });)",
                           "client = Client(key='@@')  # not here",
                           "<add key=\"k\" value=\"@@\"/>",
                           "\xE2\x80\x9C@@\xE2\x80\x9D",
                           "\xE5\xAF\x86\xE9\x92\xA5\xEF\xBC\x9A@@\xE3\x80\x82"};
  return all;
}

struct form {
  const char* kind;
  const char* text; ///< see made()
};

const form prefixed[] = {
  {"age", "<AGE-SECRET-><KEY-1QPZ>r55"},
  {"Airtable", "<pat>a14<.>h64"},
  {"Anthropic", "<sk-><ant-api03->w93<AA>"},
  {"Anthropic admin", "<sk-><ant-admin01->w93<AA>"},
  {"Anthropic OAuth", "<sk-><ant-oat01->w93<AA>"},
  {"Atlassian", "<ATA><TT3xFfGF0>w171<=>h8"},
  {"AWS access key id", "<AK><IA>u16"},
  {"AWS temporary key id", "<AS><IA>u16"},
  {"Brevo", "<xkey><sib->h64<->a16"},
  {"Databricks", "<da><pi>h32"},
  {"Databricks, numbered", "<da><pi>h32<-2>"},
  {"DigitalOcean", "<dop_><v1_>h64"},
  {"DigitalOcean OAuth", "<doo_><v1_>h64"},
  {"Discord bot", "<MT>a22<1.G>w5<.>w37<a>"},
  {"Discord webhook", "<discord.com/api/><webhooks/>d18</>w68"},
  {"Docker Hub", "<dckr_><pat_>w27"},
  {"Doppler", "<dp.><pt.>a43"},
  {"Doppler service", "<dp.><st.prd.>a40"},
  {"ElevenLabs", "<sk><_>h48"},
  {"Figma", "<fi><gd_>w40"},
  {"GitHub personal", "<gh><p_>a34<1a>"},
  {"GitHub OAuth", "<gh><o_>a34<1a>"},
  {"GitHub user to server", "<gh><u_>a34<1a>"},
  {"GitHub server to server", "<gh><s_>a34<1a>"},
  {"GitHub refresh", "<gh><r_>a74<1a>"},
  {"GitHub fine-grained", "<github_><pat_>a22<_>a57<1a>"},
  {"GitLab personal", "<gl><pat->w18<1a>"},
  {"GitLab routable", "<gl><pat->w27<.01.>l9"},
  {"GitLab runner", "<gl><rt->w18<1a>"},
  {"GitLab deploy", "<gl><dt->w18<1a>"},
  {"Google API", "<AI><za>w35"},
  {"Google OAuth", "<ya><29.a0>w160"},
  {"Google OAuth client", "<GOC><SPX->w28"},
  {"Google refresh", "<1/></0>w60"},
  {"Grafana", "<gl><sa_>a32<_>h8"},
  {"Groq", "<gs><k_>a50<1a>"},
  {"Heroku", "<HR><KU-AA>w58"},
  {"Hugging Face", "<h><f_>a34"},
  {"Linear", "<lin_><api_>a40"},
  {"Mailgun", "<ke><y->h26<1a2b3c>"},
  {"Netlify", "<nf><p_>a40"},
  {"New Relic", "<NR><AK->u27"},
  {"Notion", "<nt><n_>a46"},
  {"Notion, old", "<sec><ret_>a41<1a>"},
  {"npm", "<np><m_>a36"},
  {"NVIDIA", "<nv><api->w62<1a>"},
  {"OpenAI", "<s><k->a40<1a2b3c4d>"},
  {"OpenAI project", "<sk-><proj->w74<T3BlbkFJ>w74"},
  {"OpenAI service account", "<sk-><svcacct->w74<T3BlbkFJ>w74"},
  {"DeepSeek", "<s><k->h29<1a2>"},
  {"OpenRouter", "<sk-><or-v1->h64"},
  {"Perplexity", "<pp><lx->a48"},
  {"PlanetScale", "<psc><ale_tkn_>w43"},
  {"Postman", "<PM><AK->h24<->h34"},
  {"Pulumi", "<pu><l->h40"},
  {"PyPI", "<py><pi-AgEIcHlwaS5vcmcCJ>w150"},
  {"Replicate", "<r><8_>a37"},
  {"RubyGems", "<ruby><gems_>h48"},
  {"SendGrid", "<S><G.>w22<.>w43"},
  {"Sentry organization", "<sn><trys_eyJ>a120<_>b42<a>"},
  {"Sentry user", "<sn><tryu_>h64"},
  {"Shopify", "<shp><at_>h32"},
  {"Shopify app", "<shp><ss_>h32"},
  {"Slack bot", "<xo><xb->d12<->d13<->a24"},
  {"Slack user", "<xo><xp->d12<->d12<->d13<->h32"},
  {"Slack app", "<xa><pp-1-A>u10<->d13<->h64"},
  {"Slack, rotating", "<xo><xe.xo><xb-1->w160<123>"},
  {"Slack webhook", "<hooks.><slack.com/><services/T>u10</B>u10</>a24"},
  {"Square", "<sq0><atp->w22"},
  {"Square OAuth", "<EA><AA>w58<1a>"},
  {"Stripe", "<sk_><live_>a24"},
  {"Stripe test", "<sk_><test_>a99"},
  {"Stripe restricted", "<rk_><live_>a99"},
  {"Stripe webhook", "<wh><sec_>a30<1a>"},
  {"Supabase", "<sb><p_>h40"},
  {"Tailscale", "<ts><key-auth-k>a11<CNTRL->a32"},
  {"Tavily", "<tv><ly-dev->a29<123abc>"},
  {"Telegram", "d10<:AA>w32<1>"},
  {"Terraform and Vault", "<hv><s.>w90<1a>"},
  {"Twilio API key", "<S><K>h32"},
  {"Vault batch", "<hv><b.>w140<1a>"},
  {"xAI", "<xa><i->a80"},
};

struct named_form {
  const char* kind;
  const char* context;
  const char* text;
};

const named_form named[] = {
  {"AWS", "AWS_SECRET_ACCESS_KEY=@@\n", "b38<1a>"},
  {"AWS", "export AWS_SECRET_ACCESS_KEY='@@'", "b38<1a>"},
  {"AWS", "aws_access_key_id = x\naws_secret_access_key = @@\nregion = eu-west-1\n", "b38<1a>"},
  {"AWS", R"({"AccessKey":{"SecretAccessKey": "@@", "Status":"Active"}})", "b38<1a>"},
  {"AWS", R"("{\"secretAccessKey\":\"@@\"}")", "b38<1a>"},
  {"AWS", "<SecretAccessKey>@@</SecretAccessKey>", "b38<1a>"},
  {"AWS", "The AWS secret access key is @@.", "b38<1a>"},
  {"AWS", "AWS secret key: `@@`", "b38<1a>"},
  {"AWS", "new Client({ secretAccessKey: \"@@\" })", "b38<1a>"},
  {"AWS session", "aws_session_token = @@", "b300<123abc==>"},
  {"Azure storage", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=@@;EndpointSuffix=core.windows.net",
   "b86<==>"},
  {"Azure service bus", "SharedAccessKeyName=Root;SharedAccessKey=@@", "b43<=>"},
  {"Azure client", "AZURE_CLIENT_SECRET=@@", "a3<8Q~>a34"},
  {"Cloudflare", "CLOUDFLARE_API_TOKEN=@@", "a34<123abc>"},
  {"Cloudflare", "cloudflare_api_key = \"@@\"", "h37"},
  {"Heroku", "HEROKU_API_KEY=@@", "h8<->h4<-4>h3<-a>h3<->h12"},
  {"Twilio", "TWILIO_AUTH_TOKEN=@@", "h26<12ab34>"},
  {"Mistral", "MISTRAL_API_KEY=@@", "a29<1a2>"},
  {"Datadog", "DD_API_KEY: @@", "h26<12ab34>"},
  {"any", R"({"access_token":"@@","expires_in":3600})", "w60<1a2b3c>"},
  {"any", "client_secret: \"@@\"", "a30<1a2b3c>"},
  {"any", "Authorization: Bearer @@", "w30<1a2b3c>"},
  {"any", "The API key is @@.", "a30<1a2b3c>"},
};

std::string base64url(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned bits = 0, count = 0;
  for (auto c : text) {
    bits = (bits << 8 | static_cast<unsigned char>(c)) & 0xFFFF;
    for (count += 8; count >= 6; count -= 6)
      out += letters[bits >> (count - 6) & 63];
  }
  if (count > 0)
    out += letters[bits << (6 - count) & 63];
  return out;
}

} // namespace

void add(std::vector<example>& out, std::string kind, content_class what, std::string_view context,
         std::string_view secret) {
  auto mark = what >= content_class::email ? content_filter::personal_mark : content_filter::secret_mark;
  out.push_back({std::move(kind), what, filled(context, secret), filled(context, mark)});
}

std::string made(std::string_view form, unsigned seed) {
  std::mt19937 random{seed};
  constexpr std::string_view upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", lower = "abcdefghijklmnopqrstuvwxyz",
                             digits = "0123456789";
  auto group = [&](char c) {
    std::string out{digits};
    switch (c) {
      case 'h': return out + "abcdef";
      case 'H': return out + "ABCDEF";
      case 'u': return std::string{upper} + "234567";
      case 'l': return out += lower;
      case 'r': return std::string{"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"};
      case 'd': return std::string{"123456789"};
      case 'w': return out.append(upper).append(lower).append("_-");
      case 'b': return out.append(upper).append(lower).append("+/");
      default: return out.append(upper).append(lower);
    }
  };
  std::string out;
  for (size_t i = 0; i < form.size();) {
    if (form[i] == '<') {
      auto end = form.find('>', i);
      out.append(form.substr(i + 1, end - i - 1));
      i = end + 1;
      continue;
    }
    auto characters = group(form[i++]);
    size_t count = 0;
    for (; i < form.size() && form[i] >= '0' && form[i] <= '9'; ++i)
      count = count * 10 + static_cast<size_t>(form[i] - '0');
    for (; count > 0; --count)
      out += characters[random() % characters.size()];
  }
  return out;
}

std::vector<example> secrets() {
  std::vector<example> out;
  unsigned seed = 1;
  for (auto& form : prefixed)
    for (unsigned i = 0; i < examples_of_kind; ++i) {
      auto secret = made(form.text, seed++);
      for (auto& context : contexts())
        add(out, form.kind, content_class::secret, context, secret);
    }
  return out;
}

std::vector<example> named_secrets() {
  std::vector<example> out;
  unsigned seed = 10'000;
  for (auto& form : named)
    for (unsigned i = 0; i < examples_of_kind; ++i)
      add(out, form.kind, content_class::secret, form.context, made(form.text, seed++));
  return out;
}

std::vector<example> tokens() {
  std::vector<example> out;
  const strings heads{R"({"alg":"HS256","typ":"JWT"})", R"({"alg":"RS256","kid":"2026-01-a","typ":"at+jwt"})",
                      R"({ "typ" : "JWT", "alg" : "ES256" })", "{\n  \"alg\": \"EdDSA\"\n}"};
  const strings claims{R"({"sub":"1234567890","name":"A. Person","iat":1516239022})",
                       R"({"iss":"https://issuer.example.com/","aud":["a","b"]})"};
  unsigned seed = 20'000;
  for (auto& head : heads)
    for (auto& claim : claims)
      for (auto* signature : {"w43", "w86", "w342"}) {
        auto token = base64url(head) + '.' + base64url(claim) + '.' + made(signature, seed++);
        for (auto& context : contexts())
          add(out, "JWT", content_class::jwt, context, token);
      }
  return out;
}

std::vector<example> pem_blocks() {
  std::vector<example> out;
  const strings labels{"PRIVATE KEY",           "RSA PRIVATE KEY", "EC PRIVATE KEY",       "OPENSSH PRIVATE KEY",
                       "ENCRYPTED PRIVATE KEY", "CERTIFICATE",     "PGP PRIVATE KEY BLOCK"};
  const strings line_ends{"\n", "\r\n", "\\n", "\n    ", "\\n\" +\n  \"", " "};
  const strings around{"@@", "Here it is:\n@@\nUse it well.", R"({"key": "@@", "n": 1})", "x=1\nkey: |\n    @@\ny=2\n"};
  unsigned seed = 30'000;
  for (auto& label : labels)
    for (auto& end : line_ends)
      for (auto& context : around) {
        auto block = "-----BEGIN " + label + "-----" + end;
        if (label.starts_with("PGP"))
          block += "Version: GnuPG v2" + end + end;
        for (int i = 0; i < 25; ++i)
          block += made("b64", seed++) + end;
        block += made("b30", seed++) + "==" + end + "-----END " + label + "-----";
        add(out, "PEM " + label, content_class::pem, context, block);
      }
  return out;
}

std::vector<example> all() {
  std::vector<example> out;
  for (auto* part : {secrets, named_secrets, tokens, pem_blocks, personal_data}) {
    auto more = part();
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

} // namespace corpus
