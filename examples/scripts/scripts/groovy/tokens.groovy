// Tokens of this example are the name of a user and scopes, such as ada-read-write. Real ones need a signature.
import org.forgerock.http.oauth2.AccessTokenInfo
import org.forgerock.json.JsonValue

def (user, scopes) = token.split('-', 2)
if (!(user in ['ada', 'bob'])) return null
new AccessTokenInfo(new JsonValue([sub: user]), token, scopes.split('-') as Set, System.currentTimeMillis() + 60000)
