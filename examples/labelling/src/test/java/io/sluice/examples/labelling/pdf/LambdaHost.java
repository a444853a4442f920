package io.sluice.examples.labelling.pdf;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestStreamHandler;
import java.lang.reflect.Proxy;

/// Does what Amazon's runtime does: makes the handler by its name, and hands it the event.
final class LambdaHost {
    private LambdaHost() {}

    /// @param args the handler's class; the event comes as the standard input
    public static void main(String[] args) throws Exception {
        RequestStreamHandler handler =
                Class.forName(args[0])
                        .asSubclass(RequestStreamHandler.class)
                        .getDeclaredConstructor()
                        .newInstance();
        var context =
                (Context)
                        Proxy.newProxyInstance(
                                Context.class.getClassLoader(),
                                new Class<?>[] {Context.class},
                                (proxy, method, arguments) -> null);
        handler.handleRequest(System.in, System.out, context);
    }
}
